import { cat, nn, optim, type Tensor } from 'lanthorn';

// The state: a tensor, or two of an LSTM.
type State = Tensor | [Tensor, Tensor];

interface Recurrent extends nn.Module {
  forward(values: Tensor, state?: State): [Tensor, State];
}

export type Cell = 'RNN' | 'GRU' | 'LSTM';

function recurrentOf(cell: Cell, hidden: number): Recurrent {
  const options = { batchFirst: true };
  switch (cell) {
    case 'RNN':
      return new nn.RNN(1, hidden, options) as Recurrent;
    case 'GRU':
      return new nn.GRU(1, hidden, options) as Recurrent;
    case 'LSTM':
      return new nn.LSTM(1, hidden, options) as Recurrent;
  }
}

export class Forecaster extends nn.Module {
  recurrent: Recurrent;
  output: nn.Linear;

  constructor(cell: Cell, hidden: number) {
    super();
    this.recurrent = recurrentOf(cell, hidden);
    this.output = new nn.Linear(hidden, 1);
  }

  // values: [batch, length, 1]
  // The guess of the value after each value, of the same shape: the value
  // and a change. And the state at the end.
  forward(values: Tensor, state?: State): [Tensor, State] {
    const [outputs, last] = this.recurrent.call(values, state);
    return [values.add(this.output.call(outputs)), last];
  }

  // A forecast: each guess is the next value that it reads.
  // history: [batch, length, 1], the result: [batch, count, 1]
  forecast(history: Tensor, count: number): Tensor {
    let [guesses, state] = this.call(history);
    let next = guesses.at(':, -1:');
    const forecast = [next];
    while (forecast.length < count) {
      [next, state] = this.call(next, state);
      forecast.push(next);
    }
    return cat(forecast, 1);
  }
}

export function createForecaster(cell: Cell, hidden: number, lr: number) {
  const model = new Forecaster(cell, hidden);
  const parameters = model.parameters();
  const optimizer = new optim.Adam(parameters, { lr });
  const lossFunction = new nn.MSELoss();

  // values: [batch, length, 1]; next: the same, one step later
  function trainStep(values: Tensor, next: Tensor): Tensor {
    optimizer.zeroGrad();
    const [guesses] = model.call(values);
    const loss = lossFunction.call(guesses, next);
    loss.backward();
    nn.utils.clipGradNorm_(parameters, 1);
    optimizer.step();
    return loss;
  }

  return { model, optimizer, trainStep };
}
