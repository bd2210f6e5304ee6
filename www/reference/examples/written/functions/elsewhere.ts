/** Requirements of functions and classes whose examples cannot run in a page of the reference. */
const WORKER = 'a worker with a separate module';
const SHARED = 'memory that workers share, which a page has only where its host sends two headers';
const MICROPHONE = 'a microphone, which programs in a worker have not';
const SCRIPTED = 'a file that torch.jit.save wrote';

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
