use super::*;
use std::sync::{
    Mutex,
    atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst},
};

/// All tests of this process share the pool.
static TURN: Mutex<()> = Mutex::new(());

fn with<R>(threads: usize, run: impl FnOnce() -> R) -> R {
    let _turn = TURN.lock().unwrap_or_else(|error| error.into_inner());
    let before = num_threads();
    set_num_threads(threads).unwrap();
    let result = run();
    set_num_threads(before).unwrap();
    result
}

/// Asserts that the pool runs every task of a job.
fn assert_all_run() {
    let ran = AtomicUsize::new(0);
    let run = |tasks: Range<usize>| {
        ran.fetch_add(tasks.len(), SeqCst);
        Ok(())
    };
    split(12, &[12, MIN_OPERATIONS], run).unwrap();
    assert_eq!(ran.load(SeqCst), 12);
}

#[test]
fn each_task_runs_once_with_any_number_of_threads() {
    for threads in [1, 2, 3, 8, 40] {
        with(threads, || {
            for count in [1, 2, 7, 100] {
                let ran: Vec<AtomicU32> = (0..count).map(|_| AtomicU32::new(0)).collect();
                for _ in 0..200 {
                    split(count, &[64, MIN_OPERATIONS], |tasks| {
                        tasks.for_each(|task| _ = ran[task].fetch_add(1, SeqCst));
                        Ok(())
                    })
                    .unwrap();
                }
                assert!(ran.iter().all(|ran| ran.load(SeqCst) == 200), "{threads} threads, {count} tasks");
            }
        });
    }
}

#[test]
fn the_first_error_is_returned_and_the_other_tasks_run() {
    with(3, || {
        let ran = AtomicUsize::new(0);
        let error = split(12, &[12, MIN_OPERATIONS], |tasks| {
            ran.fetch_add(tasks.len(), SeqCst);
            if tasks.start >= 4 { Err(Error::kernel("test", format!("task {}", tasks.start))) } else { Ok(()) }
        });
        assert_eq!(error.unwrap_err().message(), "task 4");
        assert_eq!(ran.load(SeqCst), 12);
    });
}

#[test]
fn a_task_may_split_and_runs_its_parts_itself() {
    with(2, || {
        let ran = AtomicUsize::new(0);
        split(4, &[4, MIN_OPERATIONS], |outer| {
            split(4, &[4, MIN_OPERATIONS], |inner| {
                ran.fetch_add(outer.len() * inner.len(), SeqCst);
                Ok(())
            })
        })
        .unwrap();
        assert_eq!(ran.load(SeqCst), 16);
    });
}

#[test]
fn two_threads_may_split_at_once() {
    with(4, || {
        let count = || {
            let ran = AtomicUsize::new(0);
            for _ in 0..500 {
                split(8, &[8, MIN_OPERATIONS], |tasks| {
                    ran.fetch_add(tasks.len(), SeqCst);
                    Ok(())
                })
                .unwrap();
            }
            ran.load(SeqCst)
        };
        let other = std::thread::spawn(count);
        assert_eq!(count(), 4000);
        assert_eq!(other.join().unwrap(), 4000);
    });
}

#[test]
fn a_thread_that_dies_is_an_error_and_another_takes_its_place() {
    with(3, || {
        let caller = std::thread::current().id();
        let mut failed = 0;
        for _ in 0..500 {
            let died = AtomicU32::new(0);
            let result = split(12, &[12, MIN_OPERATIONS], |_| {
                if std::thread::current().id() == caller {
                    // The other threads arrive meanwhile.
                    std::thread::sleep(std::time::Duration::from_micros(50));
                } else if died.fetch_add(1, SeqCst) == 0 {
                    std::panic::resume_unwind(Box::new("a thread dies"));
                }
                Ok(())
            });
            assert_eq!(result.is_err(), died.load(SeqCst) > 0);
            failed += usize::from(result.is_err());
        }
        assert!(failed > 10, "{failed} threads died");
        assert_all_run();
    });
}

#[test]
fn the_caller_may_panic() {
    with(3, || {
        let caller = std::thread::current().id();
        for _ in 0..100 {
            let run = || {
                split(12, &[12, MIN_OPERATIONS], |_| {
                    if std::thread::current().id() == caller {
                        std::panic::resume_unwind(Box::new("the caller panics"));
                    }
                    Ok(())
                })
            };
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        }
        assert_all_run();
    });
}

#[test]
fn the_number_of_threads_has_bounds() {
    with(2, || {
        for threads in [0, MAX_THREADS + 1] {
            let error = set_num_threads(threads).unwrap_err();
            assert!(error.message().contains(&format!("not {threads}")), "{error}");
        }
        assert_eq!(num_threads(), 2);
    });
}

#[test]
fn long_lists_are_sorted_on_all_threads() {
    for threads in [2, 3, 8] {
        with(threads, || {
            for n in [MIN_OPERATIONS, MIN_OPERATIONS + 12_345] {
                for range in [7, u64::MAX] {
                    let mut state = 1u64;
                    let mut words: Vec<u64> = (0..n)
                        .map(|_| {
                            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                            (state >> 3) % range
                        })
                        .collect();
                    let mut expected = words.clone();
                    expected.sort_unstable();
                    sort(&mut words).unwrap();
                    assert!(words == expected, "{n} words below {range}, {threads} threads");
                }
            }
        });
    }
}

#[test]
fn fractions_are_exact_where_products_are_larger_than_32_bits() {
    let n = u32::MAX as usize;
    assert_eq!([0, 1, 7, 8].map(|part| fraction(n, part, 8)), [0, 536_870_911, 3_758_096_383, n]);
}

#[test]
fn operations_of_any_number_make_parts() {
    with(2, || {
        let parts = AtomicUsize::new(0);
        split(64, &[usize::MAX, 2, 3], |_| {
            parts.fetch_add(1, SeqCst);
            Ok(())
        })
        .unwrap();
        assert_eq!(parts.load(SeqCst), 2 * PARTS);
    });
}
