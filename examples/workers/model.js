// The network and its data, for the page and its workers. An import map holds for pages only, so this file imports by address.
import { nn, tensor } from './node_modules/lanthorn/js/index.js';

export const network = () => new nn.Sequential(new nn.Linear(2, 64), new nn.Tanh(), new nn.Linear(64, 64), new nn.Tanh(), new nn.Linear(64, 2));

/** Two spirals: points, and the arm of each. */
export function spirals() {
  const [points, arms] = [[], []];
  for (let index = 0; index < 200; index += 1) {
    const [arm, t] = [index % 2, 0.5 + (index / 200) * 4];
    points.push([t * Math.cos(2 * t + Math.PI * arm) / 5, t * Math.sin(2 * t + Math.PI * arm) / 5]);
    arms.push(arm);
  }
  return [tensor(points), tensor(arms, { dtype: 'int32' })];
}
