/** The lifetime of tensors: explicit disposal, scopes, the garbage collector. */
import { equal, firstFrame, ok } from '../lib/expect.mjs';
import { settled } from '../lib/memory.mjs';

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const cases = {
  'dispose lets go, and twice is harmless': ({ tensor, memory }) => {
    const before = memory().tensors;
    const x = tensor([1, 2]);
    equal(memory().tensors, before + 1);
    ok(!x.isDisposed, 'at first');
    x.dispose();
    x.dispose();
    ok(x.isDisposed, 'afterwards');
    equal(memory().tensors, before);
    ok(`${x}` === 'Tensor(disposed)', `${x}`);
  },

  'Symbol.dispose is dispose': ({ tensor, nn, optim, amp, memory }) => {
    const before = memory().tensors;
    const [x, net] = [tensor([1]), new nn.Linear(2, 2)];
    const optimizer = new optim.SGD(net.parameters(), { lr: 0.1 });
    const schedule = new optim.lrScheduler.StepLR(optimizer, { stepSize: 1 });
    // Compilers of `using` take this symbol where the browser has none.
    const dispose = Symbol.dispose ?? Symbol.for('Symbol.dispose');
    for (const held of [x, schedule, new amp.GradScaler(), optimizer, net]) {
      held[dispose]();
    }
    ok(x.isDisposed && net.weight.isDisposed, 'disposed');
    equal(memory().tensors, before);
  },

  'a module may be disposed of twice': ({ nn, ones, memory }) => {
    const before = memory().tensors;
    class Net extends nn.Module {
      scale = nn.parameter(ones(1));
      layer = new nn.Linear(2, 2);
      forward(x) { return this.layer.call(x); }
    }
    const net = new Net();
    net.dispose();
    net.dispose();
    ok(memory().tensors <= before + 1, 'only the tensor that the parameter was made of is left to the collector');
  },

  'a view outlives the tensor that it was taken from': async ({ tensor }) => {
    const x = tensor([[1, 2], [3, 4]]);
    const row = x.select(0, 1);
    x.dispose();
    equal(await row.data(), [3, 4]);
  },

  'dispose right after asking does not spoil the answer': async ({ tensor }) => {
    const x = tensor([1, 2]).mul(2);
    const reading = x.data();
    x.dispose();
    equal(await reading, [2, 4]);
  },

  'the bytes of big tensors come back': async ({ ones, scope, memory, synchronize }) => {
    const big = scope(() => ones(1024, 1024).clone());
    await big.data();
    // Dropped tensors of other tests may be collected at any time, so only what goes is counted.
    const held = memory().bytes;
    ok(held >= 4 * 1024 * 1024, 'while it lives');
    big.dispose();
    await synchronize();
    ok(memory().bytes <= held - 4 * 1024 * 1024, `${memory().bytes} bytes, ${held} before`);
  },

  'memory tells what is alive, by operation and size, and where it was made': async ({ tensor, memory, recordMemoryHistory }) => {
    const of = (op) => memory({ alive: true }).alive.filter((group) => group.op === op && String(group.shape) === '7,3');
    const before = of('hardshrink').reduce((count, group) => count + group.count, 0);
    const x = tensor(new Float32Array(21), { shape: [7, 3] });
    const plain = x.hardshrink();
    recordMemoryHistory();
    // WebKit leaves out the frame of a function that ends in a call.
    const makeHere = () => {
      const made = x.hardshrink();
      return made;
    };
    const kept = [makeHere(), plain.transpose(0, 1)];
    const found = of('hardshrink');
    recordMemoryHistory(false);
    equal(found.reduce((count, group) => count + group.count, 0), before + 2);
    const placed = found.filter((group) => group.stack !== undefined);
    equal(placed.map(({ count, bytes, dtype }) => [count, bytes, dtype]), [[1, 84, 'float32']]);
    ok(/makeHere/.test(firstFrame(placed[0].stack)), placed[0].stack);
    ok(of('hardshrink').every((group) => group.stack === undefined), 'forgotten');
    ok(memory({ alive: true }).alive.some((group) => group.op === 'upload'), 'uploads too');
    ok(memory().alive === undefined, 'only on request');
    await kept[0].data();
  },

  'a scope lets go of what was made in it': ({ scope, tensor, memory }) => {
    const before = memory().tensors;
    let inside;
    const kept = scope(() => {
      inside = tensor([1]).add(1);
      return inside.mul(2);
    });
    ok(inside.isDisposed && !kept.isDisposed, 'all but the result');
    equal(memory().tensors, before + 1);
    kept.dispose();
  },

  'a scope keeps what is in its result, and what is passed to keep': ({ scope, tensor, nn }) => {
    let lost;
    let aside;
    const { list, map, net } = scope((keep) => {
      aside = keep(tensor([9]));
      lost = tensor([0]);
      return { list: [tensor([1]), [tensor([2])]], map: new Map([['x', tensor([3])]]), net: new nn.Sequential(new nn.Linear(1, 1)) };
    });
    ok(!aside.isDisposed && !list[0].isDisposed && !list[1][0].isDisposed && !map.get('x').isDisposed, 'kept');
    ok(lost.isDisposed, 'not kept');
    equal(net.call(tensor([[1]])).shape, [1, 1], 'a module that is returned works');
  },

  'scopes nest': ({ scope, tensor, memory }) => {
    const before = memory().tensors;
    let [middle, inner] = [];
    const outer = scope(() => {
      middle = scope(() => {
        inner = tensor([1]);
        return tensor([2]);
      });
      ok(inner.isDisposed && !middle.isDisposed, 'after the inner one');
      return tensor([3]);
    });
    ok(middle.isDisposed && !outer.isDisposed, 'after the outer one');
    outer.dispose();
    equal(memory().tensors, before);
  },

  'a scope that throws lets go of everything': ({ scope, tensor, memory }) => {
    const before = memory().tensors;
    const mine = new RangeError('mine');
    let caught;
    try {
      scope(() => {
        tensor([1]).add(1);
        throw mine;
      });
    } catch (error) {
      caught = error;
    }
    ok(caught === mine, 'the error arrives unchanged');
    equal(memory().tensors, before);
  },

  'an async scope lasts across every await': async ({ scope, tensor, memory }) => {
    const before = await settled(memory);
    let late;
    const value = await scope(async () => {
      const x = tensor([2]);
      await pause(1);
      late = x.mul(3);
      const read = await late.item();
      ok(!x.isDisposed && !late.isDisposed, 'while it runs');
      return read;
    });
    equal(value, 6);
    ok(late.isDisposed, 'afterwards');
    equal(memory().tensors, before);
    const kept = await scope(async () => {
      await pause(1);
      tensor([0]);
      return tensor([4]);
    });
    equal(await kept.data(), [4]);
    kept.dispose();
    equal(memory().tensors, before);
  },

  'async scopes nest, and let go when they reject': async ({ scope, tensor, memory }) => {
    const before = await settled(memory);
    const mine = new RangeError('mine');
    let caught;
    await scope(async () => {
      const outer = tensor([1]);
      await scope(async () => {
        tensor([2]);
        await pause(1);
        tensor([3]);
        throw mine;
      }).catch((error) => { caught = error; });
      equal(await outer.data(), [1]);
    });
    ok(caught === mine, 'the error arrives unchanged');
    equal(memory().tensors, before);
  },

  'forgotten tensors are let go of by the garbage collector': async ({ tensor, memory }) => {
    const before = memory().tensors;
    (() => {
      for (let count = 0; count < 1000; count += 1) {
        tensor([count]);
      }
    })();
    ok(memory().tensors >= before + 900, 'they live at first');
    for (let time = 0; time < 100 && memory().tensors > before + 50; time += 1) {
      globalThis.gc();
      await pause(10);
    }
    ok(memory().tensors <= before + 50, `${memory().tensors} tensors are held, ${before} before`);
  },

  'memory counts': async ({ memory, tensor }) => {
    const before = memory();
    for (const [name, value] of Object.entries(before)) {
      ok(Number.isFinite(value) && value >= 0, `${name} is ${value}`);
    }
    const x = tensor([1]).add(1);
    await x.data();
    const after = memory();
    ok(after.launches > before.launches && after.submissions > before.submissions, 'work is counted');
    ok(after.peakBytes >= after.bytes, 'the peak is the most');
  },

  'async scopes that overlap are independent, or the second is refused': async ({ scope, tensor }) => {
    const count = (from) => scope(async () => {
      let x = tensor([from]);
      for (let step = 0; step < 5; step += 1) {
        x = x.add(1);
        await pause(1);
      }
      return x;
    });
    equal(await (await scope(async () => { await pause(1); return scope(() => count(1)); })).item(), 6, 'nested');
    const results = await Promise.allSettled([count(1), count(2), count(3)]);
    equal(await results[0].value.item(), 6, 'the first');
    // Only a variable that follows the call can tell the others from it.
    if (globalThis.AsyncContext) return equal(await results[2].value.item(), 8);
    for (const { reason } of results.slice(1)) ok(/overlap/.test(reason?.message), `${reason}`);
    equal(await (await count(4)).item(), 9, 'afterwards');
  },
};
