/**
 * A client of `ai` 7, as its manual writes one. With a message's text it sends that, without one it
 * resumes. Prints `open` when the response begins, then the reply as JSON, a line for each state that it
 * is shown in; `null`: there is nothing to resume. What it would show as an error ends it with a code.
 */
import { DefaultChatTransport, readUIMessageStream } from 'ai-7';

const [api, token, chatId, text] = process.argv.slice(2);

const transport = new DefaultChatTransport({ api, headers: { authorization: `Bearer ${token}` } });

function send() {
  return transport.sendMessages({
    trigger: 'submit-message',
    chatId,
    messageId: undefined,
    messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
    abortSignal: undefined,
  });
}

const stream = await (text === undefined ? transport.reconnectToStream({ chatId }) : send());
if (stream === null) {
  console.log('null');
} else {
  console.log('open');
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) {
    console.log(JSON.stringify(message));
  }
}
