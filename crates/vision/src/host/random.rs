//! Random numbers of the host, for the choices of transforms.

use lanthorn_ir::random::{threefry, uniform};
use lanthorn_tensor::{Error, Result, Tensor};
use std::cell::Cell;

/// Separates the numbers of transforms from the numbers of operations, as in `lanthorn-data`.
const SAMPLE: [u32; 2] = [0x5361_6d70, 0x6c65_7321];

/// A sequence of random numbers that a seed determines, in Rust as in JavaScript.
///
/// ```
/// use lanthorn::vision::transforms::Random;
/// let (one, other) = (Random::from_seed(7)?, Random::from_seed(7)?);
/// assert_eq!(one.below(1000), other.below(1000));
/// # Ok::<(), lanthorn::Error>(())
/// ```
#[derive(Debug)]
pub struct Random {
    key: [u32; 2],
    next: Cell<u32>,
}

impl Random {
    /// The sequence of a seed.
    ///
    /// # Errors
    /// `argument` if the seed is negative.
    pub fn from_seed(seed: i64) -> Result<Random> {
        match u64::try_from(seed) {
            Ok(seed) => Ok(Random::of_key([seed as u32, (seed >> 32) as u32], 0)),
            Err(_) => Err(Error::argument("Random", format!("a seed must not be negative, and is {seed}"))),
        }
    }

    /// The sequence that follows from the next call of the device's generator.
    pub(crate) fn draw_from(like: &Tensor) -> Random {
        let (key, offset) = like.device().generator().take(1);
        Random::of_key(key, offset)
    }

    fn of_key([low, high]: [u32; 2], offset: u32) -> Random {
        Random { key: SAMPLE.map(|tag| threefry([low, high ^ tag], [offset, 0])), next: Cell::new(0) }
    }

    fn word(&self) -> u32 {
        let word = threefry(self.key, [self.next.get(), 0]);
        self.next.set(self.next.get().wrapping_add(1));
        word
    }

    /// A number from `low` up to `high`, which is excluded.
    pub fn uniform(&self, low: f64, high: f64) -> f64 {
        low + f64::from(uniform(self.word())) * (high - low)
    }

    /// An integer from 0 up to `count`, which is excluded; 0 if `count` is 0.
    pub fn below(&self, count: usize) -> usize {
        ((u64::from(self.word()) * count as u64) >> 32) as usize
    }

    /// True with this probability.
    pub fn chance(&self, probability: f64) -> bool {
        self.uniform(0.0, 1.0) < probability
    }

    /// The numbers from 0 up to `count`, which is excluded, in a random order.
    pub fn permutation(&self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }

    /// A number of the normal distribution, by the method of Box and Muller.
    pub fn normal(&self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform(0.0, 1.0)).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform(0.0, 1.0)).cos()
    }

    /// A number of the gamma distribution with scale 1, by the method of Marsaglia and Tsang
    /// (2000).
    pub fn gamma(&self, concentration: f64) -> f64 {
        if concentration < 1.0 {
            let power = (1.0 - self.uniform(0.0, 1.0)).powf(1.0 / concentration);
            return self.gamma(concentration + 1.0) * power;
        }
        let d = concentration - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            let u = 1.0 - self.uniform(0.0, 1.0);
            if v > 0.0 && u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }
}
