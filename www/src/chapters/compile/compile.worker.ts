/**
 * The worker that compiles a training step and measures it. It answers one message after another.
 */
import { init, LanthornError } from 'lanthorn';
import { messageOf } from '../../parts/training/worker';
import { measure } from './measure';
import type { NetworkName } from './networks/names';
import type { Change, FromCompiler, ToCompiler } from './protocol';
import { Subject } from './subject';

class CompileLoop {
  private subject: Subject | undefined;
  private isGpu = false;
  private last: Promise<void> = Promise.resolve();

  constructor() {
    self.addEventListener('message', ({ data }: MessageEvent<ToCompiler>) => {
      this.last = this.last.then(() => this.answer(data)).catch((error: unknown) => this.fail(error));
    });
    // An unhandled rejection must reach the page too.
    self.addEventListener('unhandledrejection', (event) => {
      event.preventDefault();
      this.fail(event.reason);
    });
  }

  private async answer(message: ToCompiler): Promise<void> {
    switch (message.type) {
      case 'open': {
        const { device, adapter } = await init({ device: message.device });
        this.isGpu = device === 'webgpu';
        return this.post({ type: 'opened', device: this.isGpu ? 'webgpu' : 'cpu', adapter });
      }
      case 'measure':
        return this.measure(message.network);
      case 'call':
        return this.call(message.change);
    }
  }

  private async measure(network: NetworkName): Promise<void> {
    this.subject?.dispose();
    this.subject = undefined;
    const subject = new Subject(network);
    const measurement = await measure(subject, this.isGpu);
    this.subject = subject;
    this.post({ type: 'measured', network, measurement });
  }

  /** Calls the compiled step, and says whether it was replayed. */
  private async call(change: Change): Promise<void> {
    const { subject } = this;
    if (!subject) {
      throw new Error('no step is compiled');
    }
    const changed = subject.change(change);
    const before = subject.compiled.explain();
    const result = subject.compiled(subject.x, subject.labels);
    const report = subject.compiled.explain();
    const loss = await result.item();
    result.dispose();
    const isReplayed = report.replays > before.replays;
    this.post({ type: 'called', words: `${changed}: ${isReplayed ? 'replayed' : 'recorded anew'}.`, loss: Number(loss), report });
  }

  private fail(error: unknown): void {
    const kind = error instanceof LanthornError ? String(error.kind) : 'unexpected';
    this.post({ type: 'failed', kind, message: messageOf(error) });
  }

  private post(message: FromCompiler): void {
    self.postMessage(message);
  }
}

new CompileLoop();
