/**
 * The cost of a sample as an example: small float32 inputs of more than one element are the easiest
 * to read.
 */
import { elementsOf, isTensor, leavesOf, type Recorded, type StoredTensor } from './golden';
import { FEW, isElementwise, type RecordedCall, sizeOf } from './program';
import { isWritten } from './source';

/** Elements that an example should have at least, to show anything. */
const TELLING = 4;
/** The costs of properties, in elements. */
const COSTS = { untold: 40, option: 2, dimension: 6, float64: 30, same: 60, extreme: 30, random: 15 };
/** Values outside of these magnitudes are hard to read. */
const [MIN_MAGNITUDE, MAX_MAGNITUDE] = [1e-4, 100];

/** Infinite where a number is not finite. */
export function costOf(recorded: RecordedCall): number {
  const { file, sample, call } = recorded;
  const readTensors = (value: Recorded) => leavesOf(value).filter(isTensor).map(({ ref }) => file.tensors()[ref]);
  const inputs = readTensors([...sample.args, ...Object.values(sample.kwargs)]);
  if ([...inputs, ...readTensors(sample.out)].some((tensor) => !tensor || !Array.from(tensor.values, Number).every(Number.isFinite))) {
    return Infinity;
  }
  const most = isElementwise(recorded) ? FEW : Infinity;
  const size = inputs.reduce((sum, tensor) => sum + Math.min(most, elementsOf(tensor!.shape)), 0);
  const options = Math.max(0, call.given.length - inputs.length) + 2 * Object.keys(sample.kwargs).length;
  const untold = size > 0 && size < TELLING ? COSTS.untold : 0;
  const strange = inputs.reduce((sum, tensor) => sum + strangeness(tensor!, most), 0);
  return size + 0.1 * sizeOf(sample.out) + COSTS.option * options + untold + strange;
}

/** The additional cost of a tensor: no dimension or many, other types, equal or extreme values. */
function strangeness({ dtype, shape, values }: StoredTensor, most: number): number {
  const numbers = Array.from(values, Number).slice(0, most);
  const isSame = numbers.length > 2 && numbers.every((value) => value === numbers[0]);
  const isExtreme = numbers.some((value) => Math.abs(value) > MAX_MAGNITUDE || (value !== 0 && Math.abs(value) < MIN_MAGNITUDE));
  const isPart = most < Infinity;
  const dimensions = shape.length === 0 ? 2 : isPart ? 0 : Math.max(0, shape.length - 2);
  return COSTS.dimension * dimensions + (dtype === 'F64' ? COSTS.float64 : 0) + (isSame ? COSTS.same : 0)
    + (isExtreme ? COSTS.extreme : 0) + (isPart || isWritten(shape) ? 0 : COSTS.random);
}
