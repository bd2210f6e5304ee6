/**
 * A really hidden tab. Playwright makes every page it knows claim to be visible, so this one is
 * opened through the browser's own debugging session without Playwright's knowledge, and another is
 * put in front of it.
 */
export async function openHiddenTab(browser, address) {
  const session = await browser.newBrowserCDPSession();
  const { targetId } = await session.send('Target.createTarget', { url: address });
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const front = await session.send('Target.createTarget', { url: 'about:blank' });
  await session.send('Target.activateTarget', { targetId: front.targetId });

  const waiting = new Map();
  session.on('Target.receivedMessageFromTarget', (event) => {
    const { id, result, error } = JSON.parse(event.message);
    const { answered, failed } = waiting.get(id) ?? {};
    waiting.delete(id);
    error ? failed?.(new Error(error.message)) : answered?.(result);
  });
  let last = 0;
  const send = (method, params) =>
    new Promise((answered, failed) => {
      const id = (last += 1);
      waiting.set(id, { answered, failed });
      session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) }).catch(failed);
    });

  /** The value of an expression in the hidden page. */
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  };
  return { evaluate };
}
