import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type CommonReply, ScriptedEndpoint, sendCommon, sendJson } from './scripted-endpoint';

/** The response to one request instead of vectors. */
export type EmbeddingReply = CommonReply;

/** The embeddings endpoint of the model server: the vector of a text is `vectorOf(text)`. */
export class EmbeddingEndpoint extends ScriptedEndpoint<Received, EmbeddingReply> {
  vectorOf: (text: string) => number[] = meaningOf;

  protected override read(_headers: IncomingHttpHeaders, body: Buffer): Received {
    return { body: JSON.parse(body.toString()) as Received['body'] };
  }

  protected override respond(
    response: ServerResponse,
    { body }: Received,
    reply: EmbeddingReply | undefined,
  ): void {
    if (reply === undefined) sendJson(response, 200, this.vectorsOf(body));
    else sendCommon(response, reply);
  }

  /** In reverse order, because a client must use the index. */
  private vectorsOf({ model, input }: Received['body']): object {
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: this.vectorOf(text),
    }));
    const usage = { prompt_tokens: 7 * input.length, total_tokens: 7 * input.length };
    return { object: 'list', model, data: data.reverse(), usage };
  }
}

interface Received {
  readonly body: {
    readonly model: string;
    readonly input: readonly string[];
    readonly encoding_format?: string;
  };
}

/** The three groups of words that the vectors distinguish. */
const MEANINGS = [/holiday|vacation|отпуск/giu, /home|remote|дом/giu, /money|pay|деньги/giu];

/** A vector that counts the words of each group; the last number makes sure that it is never zero. */
export function meaningOf(text: string): number[] {
  return [...MEANINGS.map((pattern) => text.match(pattern)?.length ?? 0), 0.1];
}
