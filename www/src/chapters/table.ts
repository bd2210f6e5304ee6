import chatCover from './chat/cover.svg';
import compileCover from './compile/cover.svg';
import convolutionCover from './convolution/cover.svg';
import digitsCover from './digits/cover.svg';
import modelCover from './model/cover.svg';
import transformerCover from './transformer/cover.svg';

/** A chapter as the front page lists it. */
export interface Chapter {
  /** Its folder beside this file, which is also its URL. */
  folder: string;
  title: string;
  summary: string;
  /** The URL of its picture, which is decorative and needs no description. */
  cover: string;
}

/** The chapters in reading order. */
export const chapters: readonly Chapter[] = [
  {
    folder: 'digits',
    title: 'Handwritten digits',
    summary: 'Train a network on 1,442 small images, watch it learn, then draw a digit and see what it makes of it.',
    cover: digitsCover,
  },
  {
    folder: 'convolution',
    title: 'Convolutional network',
    summary: 'Filters that learn what to look for: see them take shape, and where on your drawing each of them answers.',
    cover: convolutionCover,
  },
  {
    folder: 'transformer',
    title: 'A transformer that adds',
    summary: 'Train a small GPT until it can add. Ask it sums while it learns, and see what each of its heads looks at.',
    cover: transformerCover,
  },
  {
    folder: 'model',
    title: 'Bring your model',
    summary: 'Open a model of PyTorch or ONNX: see its graph, run it, and teach its last layer digits that it has never seen.',
    cover: modelCover,
  },
  {
    folder: 'compile',
    title: 'Compile a training step',
    summary: 'See the graph of a step before and after fusion, what each of its kernels computes, and what it costs.',
    cover: compileCover,
  },
  {
    folder: 'chat',
    title: 'Chat',
    summary: 'Talk to a language model: one that you open, or one that learns your text here. Then make its weights 8 or 4 bits small.',
    cover: chatCover,
  },
];
