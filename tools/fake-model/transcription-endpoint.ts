import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type CommonReply, ScriptedEndpoint, sendCommon, sendJson } from './scripted-endpoint';

/** The response to one request. */
export type TranscriptionReply = CommonReply | { readonly kind: 'text'; readonly text: string };

interface Received {
  readonly model: string;
  readonly fileName: string;
  readonly fileType: string;
  readonly audio: Buffer;
}

/** The endings and the size that the protocol accepts. */
const ENDINGS = /\.(flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/;
/** Telegram's own ending: OpenAI's documentation lists it, but servers refuse it. */
const REFUSED = /\.oga$/;
const MAX_BYTES = 25 * 1024 * 1024;
/** The first bytes of a test's corrupt audio. */
export const CORRUPT = 'corrupt';

/**
 * The audio transcriptions endpoint of the model server, as strict as the real ones: it needs a model and
 * one file that is not too large and has an accepted ending. The transcript of any audio is `text`, unless
 * a reply is scripted.
 */
export class TranscriptionEndpoint extends ScriptedEndpoint<Received, TranscriptionReply> {
  text = 'I know bread.';

  protected override async read(
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Promise<Received | null> {
    const form = await formOf(headers['content-type'] ?? '', body);
    const file = form.get('file');
    const model = form.get('model');
    if (!(file instanceof File) || typeof model !== 'string') return null;
    const audio = Buffer.from(await file.arrayBuffer());
    return { model, fileName: file.name, fileType: file.type, audio };
  }

  protected override respond(
    response: ServerResponse,
    { fileName, audio }: Received,
    reply: TranscriptionReply = { kind: 'text', text: this.text },
  ): void {
    const isAccepted = ENDINGS.test(fileName) && !REFUSED.test(fileName);
    if (!isAccepted || audio.subarray(0, CORRUPT.length).toString() === CORRUPT) {
      sendJson(response, 400, { error: { type: 'invalid_request_error', param: 'file' } });
    } else if (audio.length > MAX_BYTES) {
      sendJson(response, 413, { error: { type: 'server_error' } });
    } else if (reply.kind === 'text') {
      const usage = { type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 };
      sendJson(response, 200, { text: reply.text, usage });
    } else sendCommon(response, reply);
  }
}

function formOf(contentType: string, body: Buffer): Promise<FormData> {
  const received = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
  // oxlint-disable-next-line typescript/no-deprecated -- a test's own few bytes
  return received.formData();
}
