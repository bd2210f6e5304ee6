use super::*;
use crate::{HostArray, Samples, WeightedRandomSampler};
use proptest::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Samples that report their index and their random numbers.
struct Numbered(usize);

impl Dataset for Numbered {
    type Item = (i32, f32);

    fn len(&self) -> usize {
        self.0
    }

    fn get(&self, index: usize, random: &mut Random) -> Result<(i32, f32)> {
        Ok((index as i32, random.uniform()))
    }
}

type Pair = (HostArray, HostArray);

fn options(num_workers: usize) -> DataLoaderOptions {
    DataLoaderOptions { batch_size: 4, shuffle: true, num_workers, seed: 7, ..Default::default() }
}

fn epoch(loader: &mut DataLoader<Pair>) -> Vec<Pair> {
    loader.iter().collect::<Result<_>>().unwrap()
}

#[test]
fn batches_do_not_depend_on_the_workers() {
    let [mut alone, mut one, mut four] =
        [0, 1, 4].map(|workers| DataLoader::new(Numbered(35), options(workers)).unwrap());
    let mut before = Vec::new();
    for _ in 0..3 {
        let batches = epoch(&mut alone);
        assert_eq!(batches.len(), 9);
        assert_ne!(batches, before);
        assert_eq!(batches, epoch(&mut one));
        assert_eq!(batches, epoch(&mut four));
        let mut seen: Vec<i32> =
            batches.iter().flat_map(|(index, _)| index.values::<i32>().unwrap().to_vec()).collect();
        seen.sort();
        assert_eq!(seen, (0..35).collect::<Vec<_>>());
        before = batches;
    }
}

/// Batches of 1, 2, 3 samples, starting with the epoch's number.
struct Growing {
    claimed: usize,
}

impl BatchOrder for Growing {
    fn len(&self) -> usize {
        self.claimed
    }

    fn batches(&self, _: u64, epoch: u64) -> Vec<Vec<usize>> {
        (1..=3).map(|size| (0..size).map(|index| index + epoch as usize).collect()).collect()
    }
}

#[test]
fn batches_can_be_given() {
    let make = |claimed, options: DataLoaderOptions| {
        let batch_sampler: Option<Box<dyn BatchOrder>> = Some(Box::new(Growing { claimed }));
        DataLoader::new(Numbered(9), DataLoaderOptions { batch_sampler, ..options })
    };
    for num_workers in [0, 2] {
        let mut loader = make(3, DataLoaderOptions { num_workers, ..Default::default() }).unwrap();
        assert_eq!(loader.len(), Some(3));
        for first in 0..2 {
            let indices: Vec<Vec<i32>> =
                epoch(&mut loader).iter().map(|(index, _)| index.values().unwrap().to_vec()).collect();
            assert_eq!(indices, [vec![first], vec![first, first + 1], vec![first, first + 1, first + 2]]);
        }
        loader.load_state_dict(LoaderState { seed: 0, epoch: 5, position: 2 }).unwrap();
        assert_eq!(epoch(&mut loader)[0].0.values::<i32>().unwrap(), [5, 6, 7]);
    }
    for odd in [
        DataLoaderOptions { batch_size: 2, ..Default::default() },
        DataLoaderOptions { drop_last: true, ..Default::default() },
    ] {
        assert!(make(3, odd).err().unwrap().to_string().contains("not both"));
    }
    let mut lying = make(2, DataLoaderOptions::default()).unwrap();
    let error = lying.iter().next().unwrap().err().unwrap();
    assert!(error.to_string().contains("3 batches for an epoch of 2"), "{error}");
}

proptest! {
    #[test]
    fn resumed_is_as_uninterrupted(len in 1usize..60, stop in 0usize..20, workers in 0usize..3, drop_last: bool, epochs in 0u64..3) {
        let make = || DataLoader::new(Numbered(len), DataLoaderOptions { drop_last, ..options(workers) }).unwrap();
        let (mut whole, mut stopped, mut resumed) = (make(), make(), make());
        for _ in 0..epochs {
            epoch(&mut whole);
            epoch(&mut stopped);
        }
        let expected = epoch(&mut whole);
        let stop = stop.min(expected.len());
        let mut batches: Vec<Pair> = stopped.iter().take(stop).collect::<Result<_>>().unwrap();
        resumed.load_state_dict(stopped.state_dict()).unwrap();
        batches.extend(epoch(&mut resumed));
        prop_assert_eq!(&batches, &expected);
        prop_assert_eq!(epoch(&mut resumed), epoch(&mut whole));
    }
}

#[test]
fn an_epoch_that_was_left_is_over() {
    let mut loader = DataLoader::new(Numbered(20), options(2)).unwrap();
    loader.iter().next().unwrap().unwrap();
    assert_eq!(loader.state_dict(), LoaderState { seed: 7, epoch: 0, position: 1 });
    let mut other = DataLoader::new(Numbered(20), options(0)).unwrap();
    epoch(&mut other);
    assert_eq!(epoch(&mut loader), epoch(&mut other));
    assert!(loader.load_state_dict(LoaderState { seed: 7, epoch: 0, position: 6 }).unwrap_err().is_argument());
}

type Answer = fn() -> Result<i32>;

/// A data set whose sample 13 is the result of a function.
struct Broken(Answer);

impl Dataset for Broken {
    type Item = i32;

    fn len(&self) -> usize {
        20
    }

    fn get(&self, index: usize, _: &mut Random) -> Result<i32> {
        if index == 13 { (self.0)() } else { Ok(index as i32) }
    }
}

#[test]
fn failures_and_panics_name_the_sample() {
    for workers in [0, 1, 4] {
        let cases: [(Answer, &str); 2] = [
            (|| Err(Error::data("read", "no such file")), "read: sample 13: no such file"),
            (|| panic!("not {}", "today"), "DataLoader: sample 13: panicked: not today"),
        ];
        for (fails, message) in cases {
            let mut loader =
                DataLoader::new(Broken(fails), DataLoaderOptions { shuffle: false, ..options(workers) }).unwrap();
            let batches: Vec<Result<HostArray>> = loader.iter().collect();
            assert_eq!(batches.len(), 4, "three batches, then the error, then nothing");
            assert_eq!(batches[3].as_ref().unwrap_err().to_string(), message);
            assert_eq!(loader.state_dict().position, 3);
        }
    }
}

#[test]
fn a_collate_that_panics_is_an_error() {
    let collate =
        |samples: Vec<i32>| -> Result<i32> { if samples.len() < 4 { panic!("too few") } else { Ok(samples[0]) } };
    let mut loader = DataLoader::with_collate(
        Samples(vec![1, 2, 3, 4, 5]),
        collate,
        DataLoaderOptions { shuffle: false, ..options(2) },
    )
    .unwrap();
    let batches: Vec<Result<i32>> = loader.iter().collect();
    assert_eq!(batches[0], Ok(1));
    assert_eq!(batches[1].as_ref().unwrap_err().to_string(), "DataLoader: samples [4]: panicked: too few");
}

/// Counts the created samples.
struct Counted(Arc<AtomicUsize>);

impl Dataset for Counted {
    type Item = i32;

    fn len(&self) -> usize {
        1000
    }

    fn get(&self, index: usize, _: &mut Random) -> Result<i32> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(index as i32)
    }
}

#[test]
fn dropping_ends_the_threads_and_few_batches_are_made_ahead() {
    let made = Arc::new(AtomicUsize::new(0));
    let mut loader =
        DataLoader::new(Counted(made.clone()), DataLoaderOptions { prefetch_factor: 3, ..options(2) }).unwrap();
    let mut batches = loader.iter();
    batches.next().unwrap().unwrap();
    // One batch was taken, and each of two threads prepares three.
    let most = 4 * (1 + 2 * 3);
    for _ in 0..200 {
        if made.load(Ordering::SeqCst) == most {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(made.load(Ordering::SeqCst), most);
    drop(batches);
    drop(loader);
    // The threads held the data set, and with it the counter.
    assert_eq!(Arc::strong_count(&made), 1);
}

/// A stream of these numbers; a negative number is an error.
struct Lines(Vec<i32>);

impl IterableDataset for Lines {
    type Item = i32;

    fn iter(&self, _: Random) -> Box<dyn Iterator<Item = Result<i32>> + Send> {
        let line = |value: i32| if value < 0 { Err(Error::data("Lines", "a negative number")) } else { Ok(value) };
        Box::new(self.0.clone().into_iter().map(line))
    }
}

#[test]
fn a_stream_keeps_its_order_and_resumes() {
    for workers in [0, 3] {
        let plain = || DataLoaderOptions { shuffle: false, ..options(workers) };
        let mut loader = DataLoader::stream(Lines((0..10).collect()), plain()).unwrap();
        let batches: Vec<HostArray> = loader.iter().collect::<Result<_>>().unwrap();
        assert_eq!(batches[2].values::<i32>().unwrap(), [8, 9]);
        assert_eq!((batches.len(), loader.len(), loader.state_dict().epoch), (3, None, 1));
        loader.iter().next().unwrap().unwrap();
        let mut resumed = DataLoader::stream(Lines((0..10).collect()), plain()).unwrap();
        resumed.load_state_dict(loader.state_dict()).unwrap();
        assert_eq!(resumed.iter().collect::<Result<Vec<_>>>().unwrap(), batches[1..]);
        let mut cut =
            DataLoader::stream(Lines((0..10).collect()), DataLoaderOptions { drop_last: true, ..plain() }).unwrap();
        assert_eq!(cut.iter().count(), 2);
        let mut failing = DataLoader::stream(Lines(vec![1, 2, 3, 4, 5, -1]), plain()).unwrap();
        let error = failing.iter().nth(1).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "Lines: sample 5: a negative number");
    }
    assert!(DataLoader::stream(Lines(vec![]), options(0)).err().is_some_and(|error| error.is_argument()));
}

#[test]
fn options_that_cannot_be_meant_are_refused() {
    let refused = |options: DataLoaderOptions| {
        DataLoader::new(Numbered(5), options).err().is_some_and(|error| error.is_argument())
    };
    assert!(refused(DataLoaderOptions { batch_size: 0, ..Default::default() }));
    assert!(refused(DataLoaderOptions { prefetch_factor: 0, ..Default::default() }));
    let weighted = WeightedRandomSampler::new(vec![1.0; 5], 3, true).unwrap();
    assert!(refused(DataLoaderOptions {
        shuffle: true,
        sampler: Some(Box::new(weighted.clone())),
        ..Default::default()
    }));
    let mut loader =
        DataLoader::new(Numbered(5), DataLoaderOptions { sampler: Some(Box::new(weighted)), ..Default::default() })
            .unwrap();
    assert_eq!(loader.iter().count(), 3);
    let mut empty = DataLoader::new(Numbered(0), options(2)).unwrap();
    assert!(empty.is_empty() && empty.iter().next().is_none());
}
