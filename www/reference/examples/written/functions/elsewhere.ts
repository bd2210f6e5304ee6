/** Requirements of functions and classes whose examples cannot run in a page of the reference. */
const WORKER = 'a worker with a separate module';
const SHARED = 'memory that workers share, which a page has only where its host sends two headers';
const MICROPHONE = 'a microphone, which programs in a worker have not';
const SCRIPTED = 'a file that torch.jit.save wrote';

const PARAMETERS = 'the time and the memory for its millions of parameters';

/** Models of `lanthorn/vision` with more than six million parameters. */
const LARGE_MODELS = `
  AlexNet GoogLeNet Inception3 VGG alexnet convnextBase convnextLarge convnextSmall
  convnextTiny densenet121 densenet161 densenet169 densenet201 efficientnetB1 efficientnetB2
  efficientnetB3 efficientnetB4 efficientnetB5 efficientnetB6 efficientnetB7 efficientnetV2L
  efficientnetV2M efficientnetV2S googlenet inceptionV3 mnasnet1_3 regnetX16gf regnetX1_6gf
  regnetX32gf regnetX3_2gf regnetX800mf regnetX8gf regnetY128gf regnetY16gf regnetY1_6gf
  regnetY32gf regnetY3_2gf regnetY800mf regnetY8gf resnet101 resnet152 resnet34 resnet50
  resnext101_32x8d resnext101_64x4d resnext50_32x4d shufflenetV2X2_0 swinB swinS swinT swinV2B
  swinV2S swinV2T vgg11 vgg11Bn vgg13 vgg13Bn vgg16 vgg16Bn vgg19 vgg19Bn vitB16 vitB32 vitH14
  vitL16 vitL32 wideResnet101_2 wideResnet50_2
`.trim().split(/\s+/);

const ARCHIVE = 'the archive of the data set, which is large';

export const ELSEWHERE: Readonly<Record<string, string>> = {
  'audio.Microphone': MICROPHONE,
  'audio.microphone': MICROPHONE,
  'audio.save': 'the page itself, which offers the file: programs run in a worker here',
  'data.serveDataset': WORKER,
  'datasets.EMNIST': ARCHIVE,
  'datasets.QMNIST': ARCHIVE,
  'datasets.SPEECHCOMMANDS': ARCHIVE,
  'datasets.STL10': ARCHIVE,
  'datasets.SVHN': ARCHIVE,
  'io.download': 'the page itself, which offers the file: programs run in a worker here',
  'io.loadGguf': 'a file of GGUF, which nothing here writes',
  'program.jit.load': SCRIPTED,
  'program.ScriptModule': SCRIPTED,
  releaseHandle: SHARED,
  sharedMemory: SHARED,
  'train.directory': 'a folder of a disk, which a page has not',
  'train.progressElement': 'the page itself, which shows the element: programs run in a worker here',
  ...Object.fromEntries(LARGE_MODELS.map((name) => [`vision.models.${name}`, PARAMETERS])),
  'workers.attachment': WORKER,
  'workers.Barrier': SHARED,
  'workers.dataParallel': WORKER,
  'workers.endWorker': WORKER,
  'workers.Event': SHARED,
  'workers.hogwild': WORKER,
  'workers.Lock': SHARED,
  'workers.ProcessGroup': WORKER,
  'workers.Semaphore': SHARED,
  'workers.serveTraining': WORKER,
};
