//! The layout of a block as data.

use crate::expr::Type;

/// A format: where the integers, the scales and the offsets of a block are stored.
///
/// A number is `scale * integer + offset`, in float32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    /// The name in lower case: ggml's if the format is one of ggml's.
    pub name: &'static str,
    /// The number of the type in a GGUF file.
    pub code: Option<u32>,
    /// The numbers of a block.
    pub elements: usize,
    /// The bytes of a block.
    pub bytes: usize,
    /// The consecutive numbers that share a scale and an offset.
    pub sub_block: usize,
    /// An integer for each number.
    pub integers: Integers,
    /// The scales of the sub-blocks.
    pub scale: Scale,
    /// The offsets of the sub-blocks.
    pub offset: Offset,
}

/// Small integers in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Integers {
    /// How the bits of each integer are stored.
    pub packing: Packing,
    /// The value of these bits.
    pub values: Values,
}

/// Where the bits of integers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Bit planes, the lowest bits first.
    Planes(&'static [BitPlane]),
    /// The eight scales of 6 bits in the 12 bytes from this one on: `get_scale_min_k4` of
    /// `ggml-quants.c`.
    SixBitScales(usize),
    /// The eight offsets of 6 bits in the same 12 bytes.
    SixBitOffsets(usize),
}

/// Some bits of every integer. Consecutive integers are at the same bits of consecutive bytes.
/// After `run` integers, the next ones are at the next bits of the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitPlane {
    /// The first byte, from the beginning of the block.
    pub start: usize,
    /// The bits of an integer that are in the plane.
    pub bits: u32,
    /// The number of bytes that are filled before the next bits of the first byte.
    pub run: usize,
    /// The lowest bit of a byte that belongs to the plane.
    pub lowest: u32,
}

/// The value of an integer's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// An unsigned integer, from which the zero point is subtracted.
    Unsigned {
        /// The integer that represents 0.
        zero_point: u8,
    },
    /// A byte in two's complement.
    Signed,
    /// The entry of a table.
    Table(&'static [i8; 16]),
}

/// The scale of each sub-block: a number of the block, multiplied by an integer of the sub-block if
/// there are such integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The type of the block's number.
    pub source: Source,
    /// Its first byte.
    pub start: usize,
    /// The integers of the sub-blocks.
    pub factors: Option<Integers>,
}

/// The offset of each sub-block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offset {
    /// There are no offsets.
    None,
    /// It is added.
    Plus(Scale),
    /// It is subtracted.
    Minus(Scale),
}

/// The type of a value in a block, in little-endian order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A byte, as [`Type::U32`].
    Byte,
    /// A float16 at an even byte, as [`Type::F32`].
    Float16,
    /// A float32 at a byte that is a multiple of four, as [`Type::F32`].
    Float32,
    /// A byte `e` that represents 2^(e - 128), as [`Type::F32`]. It is half of OCP's e8m0, because
    /// ggml's table of e2m1 has doubled numbers. As in ggml, 255 is not NaN.
    HalfE8m0,
}

impl Source {
    /// The type of the value.
    pub const fn ty(self) -> Type {
        match self {
            Source::Byte => Type::U32,
            Source::Float16 | Source::Float32 | Source::HalfE8m0 => Type::F32,
        }
    }
}

impl BitPlane {
    /// A plane of all bits of its bytes.
    pub const fn new(start: usize, bits: u32, run: usize) -> BitPlane {
        BitPlane { start, bits, run, lowest: 0 }
    }

    /// The integers whose bits a byte has.
    pub const fn per_byte(self) -> usize {
        ((8 - self.lowest) / self.bits) as usize
    }

    /// The largest integer of these bits.
    pub const fn mask(self) -> u8 {
        (0xff_u16 >> (8 - self.bits)) as u8
    }

    /// The byte and the lowest bit of an integer.
    #[inline(always)]
    pub const fn locate(self, index: usize) -> (usize, u32) {
        let (per_byte, run) = (self.per_byte(), self.run);
        let byte = self.start + index / (run * per_byte) * run + index % run;
        (byte, self.lowest + (index / run % per_byte) as u32 * self.bits)
    }
}

impl Integers {
    /// Unsigned integers less a zero point.
    pub const fn bit_planes(planes: &'static [BitPlane], zero_point: u8) -> Integers {
        Integers { packing: Packing::Planes(planes), values: Values::Unsigned { zero_point } }
    }

    /// Bytes in two's complement.
    pub const fn bytes(plane: &'static [BitPlane; 1]) -> Integers {
        Integers { packing: Packing::Planes(plane), values: Values::Signed }
    }

    /// Entries of a table.
    pub const fn table(plane: &'static [BitPlane; 1], table: &'static [i8; 16]) -> Integers {
        Integers { packing: Packing::Planes(plane), values: Values::Table(table) }
    }

    /// Integers of 6 bits without a zero point.
    pub const fn six_bits(packing: Packing) -> Integers {
        Integers { packing, values: Values::Unsigned { zero_point: 0 } }
    }

    /// The bit planes. The packings of 6 bits have none.
    pub const fn planes(self) -> &'static [BitPlane] {
        match self.packing {
            Packing::Planes(planes) => planes,
            Packing::SixBitScales(_) | Packing::SixBitOffsets(_) => &[],
        }
    }

    /// The integer that represents 0.
    pub const fn zero_point(self) -> u8 {
        match self.values {
            Values::Unsigned { zero_point } => zero_point,
            Values::Signed | Values::Table(_) => 0,
        }
    }
}

impl Scale {
    /// A number of a block.
    pub const fn new(source: Source, start: usize) -> Scale {
        Scale { source, start, factors: None }
    }

    /// The scale: this number multiplied by an integer of each sub-block.
    pub const fn times(self, factors: Integers) -> Scale {
        Scale { factors: Some(factors), ..self }
    }
}
