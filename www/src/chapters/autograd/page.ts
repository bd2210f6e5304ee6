/** The chapter's page: the graph of an expression, and the derivatives of a curve. */
import '../../parts/base.css';
import '../../parts/training/training.css';
import './style.css';
import { RunnerPage } from '../../parts/run/page';
import { Derivatives } from './derivatives';
import { Tree } from './tree';

const host = new RunnerPage({
  onStart() {
    void tree.compute();
    void derivatives.compute();
  },
});
const tree = new Tree((source) => host.runner.run(source));
const derivatives = new Derivatives((source) => host.runner.run(source));
host.open();
