//! Encodes optimizer states, to collect the shares of all ranks on one.

use lanthorn_ir::{DType, Error, Result};
use lanthorn_optim::StateValue;
use lanthorn_tensor::{Device, Tensor};

const OP: &str = "consolidate_state_dict";

/// The states of parameters, in the order of the share.
pub(super) type States = Vec<Vec<(String, StateValue)>>;

/// Encodes states.
pub(super) fn write(states: &States) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    number(&mut bytes, states.len());
    for entries in states {
        number(&mut bytes, entries.len());
        for (name, value) in entries {
            number(&mut bytes, name.len());
            bytes.extend(name.as_bytes());
            match value {
                StateValue::Number(value) => {
                    bytes.push(0);
                    bytes.extend(value.to_le_bytes());
                }
                StateValue::Tensor(value) => {
                    bytes.push(1);
                    tensor(&mut bytes, value)?;
                }
                StateValue::Tensors(values) => {
                    bytes.push(2);
                    number(&mut bytes, values.len());
                    values.iter().try_for_each(|value| tensor(&mut bytes, value))?;
                }
            }
        }
    }
    Ok(bytes)
}

fn number(bytes: &mut Vec<u8>, number: usize) {
    bytes.extend((number as u64).to_le_bytes());
}

fn tensor(bytes: &mut Vec<u8>, tensor: &Tensor) -> Result<()> {
    let index = DType::ALL.iter().position(|dtype| *dtype == tensor.dtype()).unwrap_or_default();
    bytes.push(index as u8);
    number(bytes, tensor.rank());
    tensor.shape().to_i64().iter().for_each(|size| number(bytes, *size as usize));
    bytes.extend(pollster::block_on(tensor.to_bytes())?);
    Ok(())
}

/// Bytes that were not read yet.
struct Reader<'a> {
    bytes: &'a [u8],
    device: &'a Device,
}

/// Decodes the bytes of [`write`] onto a device.
pub(super) fn read(bytes: &[u8], device: &Device) -> Result<States> {
    let mut reader = Reader { bytes, device };
    let parameters = reader.number()?;
    (0..parameters).map(|_| reader.entries()).collect()
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let Some((taken, rest)) = self.bytes.split_at_checked(count) else {
            return Err(Error::distributed(OP, "a rank sent a state that is cut off"));
        };
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const SIZE: usize>(&mut self) -> Result<[u8; SIZE]> {
        let taken = self.take(SIZE)?;
        Ok(std::array::from_fn(|index| taken[index]))
    }

    fn number(&mut self) -> Result<usize> {
        Ok(u64::from_le_bytes(self.array()?) as usize)
    }

    fn entries(&mut self) -> Result<Vec<(String, StateValue)>> {
        let count = self.number()?;
        let entry = |_| {
            let length = self.number()?;
            let name = String::from_utf8_lossy(self.take(length)?).into_owned();
            let [kind] = self.array()?;
            let value = match kind {
                0 => StateValue::Number(f64::from_le_bytes(self.array()?)),
                1 => StateValue::Tensor(self.tensor()?),
                _ => {
                    let count = self.number()?;
                    StateValue::Tensors((0..count).map(|_| self.tensor()).collect::<Result<_>>()?)
                }
            };
            Ok((name, value))
        };
        (0..count).map(entry).collect()
    }

    fn tensor(&mut self) -> Result<Tensor> {
        let [index] = self.array()?;
        let dtype = DType::ALL.get(usize::from(index)).copied();
        let dtype = dtype.ok_or_else(|| Error::distributed(OP, "a rank sent a state of an unknown type"))?;
        let rank = self.number()?;
        let shape = (0..rank).map(|_| Ok(self.number()? as i64)).collect::<Result<Vec<i64>>>()?;
        let elements = shape.iter().try_fold(1usize, |total, size| total.checked_mul(*size as usize));
        let size = elements.and_then(|elements| elements.checked_mul(dtype.size())).unwrap_or(usize::MAX);
        Tensor::from_bytes(dtype, self.take(size)?, shape, self.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_they_were_written_and_cut_ones_are_errors() {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        let tensor = Tensor::from_slice(&[1.0f32, 2.0], [2, 1], &device).unwrap();
        let states = vec![
            vec![],
            vec![
                ("step".to_string(), StateValue::Number(3.0)),
                ("mean".to_string(), StateValue::Tensor(tensor.clone())),
                ("history".to_string(), StateValue::Tensors(vec![tensor.clone(), tensor])),
            ],
        ];
        let bytes = write(&states).unwrap();
        let found = read(&bytes, &device).unwrap();
        assert_eq!(format!("{found:?}"), format!("{states:?}"));
        assert_eq!(write(&found).unwrap(), bytes, "with the same elements");
        for length in 0..bytes.len() {
            assert!(read(&bytes[..length], &device).unwrap_err().is_distributed(), "{length} bytes");
        }
    }
}
