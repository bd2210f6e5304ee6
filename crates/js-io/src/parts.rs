//! Reading of parts: their bytes in pieces, their elements as a device has them.

use crate::{error::Thrown, has, tree};
use js_sys::{Array, Uint8Array};
use lanthorn_io::{
    DType,
    gguf::{BlockFormat, Kind},
    parts::{Content, Outline, Part, PartReader, Placed},
};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

/// A part of a file that is read.
#[wasm_bindgen(js_name = PartHandle)]
pub struct PartHandle {
    start: u64,
    reader: PartReader,
}

impl PartHandle {
    pub(crate) fn new(part: &Part, wide: bool) -> Result<PartHandle, Thrown> {
        Ok(PartHandle { start: part.start, reader: part.reader(has(wide))? })
    }
}

fn numbers(values: impl IntoIterator<Item = f64>) -> Array {
    values.into_iter().map(JsValue::from).collect()
}

fn row_of(tensor: &Placed) -> JsValue {
    let sizes = |sizes: &[usize]| numbers(sizes.iter().map(|&size| size as f64));
    let row = Array::of3(&(tensor.index as f64).into(), &(tensor.region as f64).into(), &sizes(&tensor.shape));
    if let Some((offset, strides)) = &tensor.view {
        row.push(&sizes(strides));
        row.push(&(*offset as f64).into());
    }
    row.into()
}

#[wasm_bindgen(js_class = PartHandle)]
impl PartHandle {
    /// A tensor of these bytes of a file, in blocks or not.
    pub fn tensor(
        name: &str,
        kind: &str,
        shape: &[f64],
        start: f64,
        end: f64,
        wide: bool,
    ) -> Result<PartHandle, Thrown> {
        let plain = || DType::from_name(kind).map(Kind::Plain);
        let kind = BlockFormat::from_name(kind).map(Kind::Quantized).or_else(plain);
        let kind = kind.ok_or_else(|| Thrown::argument("a kind that no header has".to_string()))?;
        let shape = shape.iter().map(|&size| size as usize).collect();
        PartHandle::new(&Part::tensor(name, kind, shape, start as u64..end as u64), wide)
    }

    /// The array of a npy file of this length.
    pub fn array(length: f64, wide: bool) -> Result<PartHandle, Thrown> {
        PartHandle::new(&Part::array(length as u64), wide)
    }

    /// The offset in the file at which it begins.
    #[wasm_bindgen(getter)]
    pub fn start(&self) -> f64 {
        self.start as f64
    }

    /// How many bytes can come next; 0 at the end.
    pub fn remaining(&self) -> f64 {
        self.reader.remaining() as f64
    }

    /// Takes the next bytes, and returns a region and bytes of its elements, one pair after the
    /// other. Unconverted bytes are `[start, end]` of the argument, because a copy would be garbage.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Array, Thrown> {
        let rows = Array::new();
        let given = bytes.as_ptr_range();
        self.reader.push(bytes, &mut |region, elements| {
            rows.push(&(region as f64).into());
            let range = elements.as_ptr_range();
            let is_given = given.start <= range.start && range.end <= given.end;
            let start = range.start.addr().wrapping_sub(given.start.addr());
            match is_given {
                true => rows.push(&numbers([start as f64, (start + elements.len()) as f64])),
                false => rows.push(&Uint8Array::from(elements)),
            };
        })?;
        Ok(rows)
    }

    /// Checks that the part was whole.
    pub fn finish(&self) -> Result<(), Thrown> {
        Ok(self.reader.finish()?)
    }

    /// `[dtype, shape]` of each region.
    pub fn regions(&self) -> Array {
        let row = |region: lanthorn_io::parts::RegionShape| {
            let shape = numbers(region.shape.iter().map(|&size| size as f64));
            JsValue::from(Array::<JsValue>::of2(&region.dtype.name().into(), &shape.into()))
        };
        self.reader.regions().into_iter().map(row).collect()
    }

    /// `[index, region, shape, strides, offset]` of each tensor; one that is the whole region has
    /// neither strides nor offset.
    pub fn tensors(&self) -> Array {
        self.reader.tensors().iter().map(row_of).collect()
    }
}

/// The tree of a checkpoint, whose tensors are in parts.
#[wasm_bindgen(js_name = OutlineHandle)]
pub struct OutlineHandle {
    outline: Outline,
    wide: bool,
}

impl OutlineHandle {
    pub(crate) fn new(outline: Outline, wide: bool) -> OutlineHandle {
        OutlineHandle { outline, wide }
    }
}

#[wasm_bindgen(js_class = OutlineHandle)]
impl OutlineHandle {
    /// The tree: a tensor is the index that it has in its part, or `[dtype, shape, bytes]`.
    pub fn value(&self) -> Result<JsValue, Thrown> {
        let convert = |content: &Content| match content {
            Content::Index(index) => Ok((*index as f64).into()),
            Content::Elements(elements) => {
                let elements = elements.clone().convert_for_device(&has(self.wide))?;
                Ok(tree::elements_to_js(&elements))
            }
        };
        let mut failed = None;
        self.outline.value.for_each_leaf(&mut |path, leaf| {
            if let Some(Err(error)) = leaf.as_tensor().map(convert) {
                let error: lanthorn_io::Error = error;
                failed.get_or_insert_with(|| error.concerning(path));
            }
        });
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(tree::to_js(&self.outline.value, &|content| convert(content).unwrap_or(JsValue::NULL))),
        }
    }

    /// `[path, class]` of the values that were left out.
    pub fn left(&self) -> Array {
        let row = |left: &lanthorn_io::pytorch::LeftOut| {
            JsValue::from(Array::<JsValue>::of2(&left.path.as_str().into(), &left.class.as_str().into()))
        };
        self.outline.left.iter().map(row).collect()
    }

    /// The number of parts.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.outline.parts.len()
    }

    /// A part, by its index in the order of the file.
    pub fn part(&self, index: usize) -> Result<PartHandle, Thrown> {
        let part = self.outline.parts.get(index);
        let part = part.ok_or_else(|| Thrown::argument(format!("there is no part {index}")))?;
        PartHandle::new(part, self.wide)
    }
}
