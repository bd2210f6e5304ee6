/** Pictures to tensors and back. */
import { close, equal, ok, refuses } from '../lib/expect.mjs';

/** A picture of two by one pixels: red, and a dark colour. */
function picture(canvas = new OffscreenCanvas(2, 1)) {
  const context = canvas.getContext('2d');
  context.fillStyle = 'rgb(255 0 0)';
  context.fillRect(0, 0, 1, 1);
  context.fillStyle = 'rgb(10 20 30)';
  context.fillRect(1, 0, 1, 1);
  return canvas;
}

const RGB = [[[255, 10]], [[0, 20]], [[0, 30]]];

export const cases = {
  'everything with pixels becomes a tensor': async ({ fromPixels, tensor }) => {
    const canvas = picture();
    const element = picture(Object.assign(document.createElement('canvas'), { width: 2, height: 1 }));
    const image = new Image();
    image.src = element.toDataURL();
    await image.decode();
    const bitmap = await createImageBitmap(canvas);
    const frame = new VideoFrame(canvas, { timestamp: 0 });
    const data = canvas.getContext('2d').getImageData(0, 0, 2, 1);
    for (const source of [canvas, element, image, bitmap, data]) {
      const x = fromPixels(source);
      equal([x.dtype, await x.tolist()], ['uint8', RGB], source.constructor.name);
      equal(await tensor(source).tolist(), RGB, source.constructor.name);
    }
    // The colours of a frame may go through another colour space.
    close(await fromPixels(frame).to('float32').data(), RGB.flat(2), { absolute: 3 });
    frame.close();
    bitmap.close();
  },

  'a video is read at its current frame': async ({ fromPixels }) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 16, height: 16 });
    const context = canvas.getContext('2d');
    context.fillStyle = 'rgb(200 200 200)';
    context.fillRect(0, 0, 16, 16);
    const video = document.createElement('video');
    await refuses(() => fromPixels(video), 'argument', /no picture yet/);
    video.muted = true;
    video.srcObject = canvas.captureStream(10);
    const playing = new Promise((resolve) => { video.onloadeddata = resolve; });
    await video.play();
    await playing;
    const x = fromPixels(video, { mode: 'gray' });
    equal([...x.shape], [1, 16, 16]);
    close(await x.to('float32').data(), new Array(256).fill(200), { absolute: 4 });
    video.srcObject.getTracks().forEach((track) => track.stop());
  },

  'modes and types': async ({ fromPixels, tensor }) => {
    const canvas = picture();
    equal(await fromPixels(canvas, { mode: 'gray' }).tolist(), [[[76, 18]]]);
    equal([...fromPixels(canvas, { mode: 'rgba' }).shape], [4, 1, 2]);
    const unit = fromPixels(canvas, { dtype: 'float32' });
    equal(unit.dtype, 'float32');
    close(await unit.data(), RGB.flat(2).map((value) => value / 255), { absolute: 1e-7 });
    equal([tensor(canvas, { dtype: 'float32' }).dtype, await tensor(canvas, { shape: [6] }).tolist()], ['float32', RGB.flat(2)]);
    await refuses(() => fromPixels(canvas, { mode: 'cmyk' }), 'argument', /cmyk/);
    await refuses(() => fromPixels(canvas, { dtype: 'int32' }), 'dtype', /uint8 or float32/);
    await refuses(() => fromPixels([1, 2]), 'argument', /takes an image, a video/);
    await refuses(() => fromPixels(new Image()), 'argument', /no picture yet/);
  },

  'there and back gives the same bytes': async ({ fromPixels, toImageData, toCanvas, toBlob }) => {
    const canvas = picture();
    for (const dtype of ['uint8', 'float32']) {
      const x = fromPixels(canvas, { dtype });
      equal(Array.from((await toImageData(x)).data), [255, 0, 0, 255, 10, 20, 30, 255]);
      equal(await fromPixels(await toCanvas(x, new OffscreenCanvas(9, 9))).tolist(), RGB);
      const blob = await toBlob(x);
      equal(blob.type, 'image/png');
      equal(await fromPixels(await createImageBitmap(blob)).tolist(), RGB);
    }
    equal((await toBlob(fromPixels(canvas), { type: 'image/jpeg', quality: 0.5 })).type, 'image/jpeg');
  },

  'other tensors as pictures': async ({ tensor, toImageData, zeros, ones }) => {
    equal(Array.from((await toImageData(tensor([[0.5, 2], [-1, 1]]))).data), [128, 128, 128, 255, 255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255]);
    equal(Array.from((await toImageData(tensor([[true]]))).data), [255, 255, 255, 255]);
    equal(Array.from((await toImageData(tensor([[[1]], [[2]], [[300]], [[7]]], { dtype: 'int32' }))).data), [1, 2, 255, 7]);
    ok((await toImageData(ones(1, 3, 5))).width === 5, 'the last dimension is the width');
    for (const odd of [zeros(2), zeros(2, 4, 4), zeros(3, 0, 4), zeros(1, 3, 4, 4)]) await refuses(() => toImageData(odd), 'shape', /takes a picture/);
  },
};
