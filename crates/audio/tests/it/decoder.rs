//! The beam search beside all paths of small emissions.

use lanthorn_audio::decoder::{ctc_decoder, ctc_greedy_decoder};
use lanthorn_tensor::{Device, Tensor};
use pollster::block_on;
use std::collections::HashMap;

const FRAMES: usize = 5;
const WIDTH: usize = 3;

/// The probability of each text, of all paths together and of the best one.
fn texts(scores: &[f32]) -> HashMap<Vec<usize>, (f64, f64)> {
    let mut texts = HashMap::new();
    for path in 0..WIDTH.pow(FRAMES as u32) {
        let (mut rest, mut last, mut score, mut text) = (path, 0, 0.0, vec![]);
        for frame in 0..FRAMES {
            let token = rest % WIDTH;
            rest /= WIDTH;
            score += f64::from(scores[frame * WIDTH + token]);
            if token != last && token != 0 {
                text.push(token);
            }
            last = token;
        }
        let (sum, best) = texts.entry(text).or_insert((0.0, f64::NEG_INFINITY));
        *sum += score.exp();
        *best = score.max(*best);
    }
    texts
}

#[test]
fn a_wide_beam_finds_the_best_texts_of_all_paths() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    device.manual_seed(3);
    for _ in 0..4 {
        let shape = [1, FRAMES as i64, WIDTH as i64];
        let emissions = Tensor::randn(shape).unwrap().log_softmax(-1).unwrap();
        let scores: Vec<f32> = block_on(emissions.to_vec()).unwrap();
        let texts = texts(&scores);
        for log_add in [false, true] {
            let decoder = ctc_decoder(&["-", "a", "b"], 4, 500, None, 500.0, 0.0, log_add, "-", "|").unwrap();
            let found = block_on(decoder.decode(&emissions, None)).unwrap();
            let score_of = |(sum, best): &(f64, f64)| if log_add { sum.ln() } else { *best };
            let mut want: Vec<_> = texts.iter().map(|(text, scores)| (score_of(scores), text)).collect();
            want.sort_by(|a, b| b.0.total_cmp(&a.0));
            assert_eq!(found[0].len(), 4);
            for (got, (score, text)) in found[0].iter().zip(want) {
                assert_eq!(got.tokens(), text);
                assert!((got.score() - score).abs() < 1e-6, "{} instead of {score}", got.score());
                assert_eq!(got.timesteps().len(), text.len());
            }
        }
    }
}

#[test]
fn lengths_limit_the_frames_and_silence_has_its_score() {
    let device = Device::new(lanthorn_cpu::CpuBackend::new());
    // b b - a |
    let rows =
        [[0.0, 0.0, 9.0, 0.0], [0.0, 0.0, 9.0, 0.0], [9.0, 0.0, 0.0, 0.0], [0.0, 9.0, 0.0, 0.0], [0.0, 0.0, 0.0, 9.0]];
    let scores: Vec<f32> = rows.concat();
    let emissions = Tensor::from_slice(&scores, [1, 5, 4], &device).unwrap().log_softmax(-1).unwrap();
    let greedy = |lengths| block_on(ctc_greedy_decoder(&emissions, lengths, 0)).unwrap();
    assert_eq!(greedy(None), [[2, 1, 3]]);
    let lengths = Tensor::from_slice(&[2i32], [1], &device).unwrap();
    assert_eq!(greedy(Some(&lengths)), [[2]]);
    let decoder = |score| ctc_decoder(&["-", "a", "b", "|"], 1, 10, Some(4), 50.0, score, false, "-", "|").unwrap();
    let best = |score, lengths| block_on(decoder(score).decode(&emissions, lengths)).unwrap()[0][0].clone();
    assert_eq!((best(0.0, None).tokens(), best(0.0, None).timesteps()), (&[2, 1, 3][..], &[0, 3, 4][..]));
    assert_eq!(best(-20.0, None).tokens(), [2, 1]);
    assert_eq!(best(0.0, Some(&lengths)).tokens(), [2]);
    assert_eq!(decoder(0.0).idxs_to_tokens(&[2, 1]), ["b", "a"]);
    let long = Tensor::from_slice(&[6i32], [1], &device).unwrap();
    assert!(block_on(decoder(0.0).decode(&emissions, Some(&long))).err().unwrap().is_shape());
    assert!(ctc_decoder(&["a"], 1, 10, None, 50.0, 0.0, false, "-", "|").err().unwrap().is_argument());
}
