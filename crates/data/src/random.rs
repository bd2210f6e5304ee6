//! Random numbers for data: the core's counter-based generator ([`lanthorn_ir::random`]), keyed by
//! seed, epoch and index.

use lanthorn_ir::random::{threefry, uniform};

/// Separates the numbers of samples from the numbers of permutations, and the two words of a
/// sample's key.
const SAMPLE: [u32; 2] = [0x5361_6d70, 0x6c65_7321];

/// The random numbers of one sample. They are a function of seed, epoch and index, so they do not
/// depend on the thread or the time of creation.
///
/// ```
/// use lanthorn::data::Random;
/// let (mut one, mut other) = (Random::new(7, 0, 3), Random::new(7, 0, 3));
/// assert_eq!(one.below(1000), other.below(1000));
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    key: [u32; 2],
    next: u32,
}

impl Random {
    /// Creates the generator of sample `index` in epoch `epoch`.
    pub fn new(seed: u64, epoch: u64, index: u64) -> Random {
        let [low, high] = words(seed);
        let word = |tag: u32| threefry([low, high ^ tag], [index as u32, epoch as u32]);
        Random { key: SAMPLE.map(word), next: 0 }
    }

    /// Returns 32 random bits.
    pub fn word(&mut self) -> u32 {
        let word = threefry(self.key, [self.next, 0]);
        self.next = self.next.wrapping_add(1);
        word
    }

    /// Returns a number in [0, 1), a multiple of 2^-24.
    pub fn uniform(&mut self) -> f32 {
        uniform(self.word())
    }

    /// Returns an integer from 0 to `count - 1`, or 0 if `count` is 0.
    pub fn below(&mut self, count: u32) -> u32 {
        scale(self.word(), u64::from(count)) as u32
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, probability: f32) -> bool {
        self.uniform() < probability
    }
}

/// Returns a random permutation of `0..count`: a Fisher-Yates shuffle from the last index down,
/// which swaps index `i` with `word * (i + 1) >> 32`. `word` is Threefry's output for the key
/// `seed` and the counter `(i, epoch)`.
///
/// It equals the core's `torch.randperm` (`Tensor::randperm`) as call number `epoch` after
/// `manual_seed(seed)`.
///
/// ```
/// let mut order = lanthorn::data::permutation(1, 0, 5);
/// order.sort();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// ```
pub fn permutation(seed: u64, epoch: u64, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, scale(word(seed, epoch, last), last as u64 + 1) as usize);
    }
    order
}

/// Returns the random word `index` of an epoch.
pub(crate) fn word(seed: u64, epoch: u64, index: usize) -> u32 {
    threefry(words(seed), [index as u32, epoch as u32])
}

/// Scales a random word to an integer below `count`.
pub(crate) fn scale(word: u32, count: u64) -> u64 {
    (u64::from(word) * count) >> 32
}

/// Returns a different seed for each round of an epoch that needs several permutations. Round 0
/// uses the seed itself.
pub(crate) fn seed_of_round(seed: u64, round: usize) -> u64 {
    seed ^ (u64::from((round as u32).wrapping_mul(0x9E37_79B9)) << 32)
}

fn words(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use lanthorn_tensor::{Device, Tensor};

    #[test]
    fn a_permutation_is_that_of_the_tensors() {
        let device = Device::new(lanthorn_cpu::CpuBackend::new());
        device.set_default();
        device.manual_seed(12345);
        for epoch in 0..3 {
            let order = pollster::block_on(Tensor::randperm(100).unwrap().to_vec::<i32>()).unwrap();
            assert!(permutation(12345, epoch, 100).iter().zip(order).all(|(&one, other)| one == other as usize));
        }
    }

    #[test]
    fn samples_draw_their_own_numbers() {
        let first = |seed, epoch, index| Random::new(seed, epoch, index).word();
        let words = [first(1, 0, 0), first(2, 0, 0), first(1, 1, 0), first(1, 0, 1), first(1 << 32, 0, 0)];
        for (index, word) in words.iter().enumerate() {
            assert!(!words[..index].contains(word), "{words:?}");
        }
    }

    #[test]
    fn below_reaches_every_number_alike() {
        let mut random = Random::new(3, 0, 0);
        let mut counts = [0; 5];
        (0..5000).for_each(|_| counts[random.below(5) as usize] += 1);
        // Five standard deviations of the binomial distribution: sqrt(5000 * 0.2 * 0.8) = 28.
        assert!(counts.iter().all(|count: &i32| (count - 1000).abs() < 142), "{counts:?}");
        assert_eq!(random.below(0), 0);
    }
}
