/** Videos to look at: one that is drawn, and the webcam. */

function playing(stream) {
  const video = Object.assign(document.createElement('video'), { muted: true, srcObject: stream });
  return new Promise((resolve, reject) => {
    video.onloadeddata = () => resolve(video);
    video.onerror = () => reject(new Error('the video does not play'));
    video.play().catch(reject);
  });
}

/** A video of this size with a wheel that turns. */
export function drawnVideo(width, height) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  const turn = () => {
    context.fillStyle = 'black';
    context.fillRect(0, 0, width, height);
    context.strokeStyle = 'white';
    context.lineWidth = 12;
    for (let spoke = 0; spoke < 5; spoke += 1) {
      const angle = performance.now() / 1000 + spoke * Math.PI / 5;
      const [x, y] = [Math.cos(angle) * 100, Math.sin(angle) * 100];
      context.beginPath();
      context.moveTo(width / 2 - x, height / 2 - y);
      context.lineTo(width / 2 + x, height / 2 + y);
      context.stroke();
    }
    requestAnimationFrame(turn);
  };
  turn();
  return playing(canvas.captureStream(60));
}

/** The webcam's picture, cut to this size. */
export async function webcam(width, height) {
  return playing(await navigator.mediaDevices.getUserMedia({ video: { width: { exact: width }, height: { exact: height } } }));
}
