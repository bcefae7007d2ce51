import { sha256 } from '../../common/ids';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import type { ModelRequest } from '../../llm';
import type { StoredPrompt } from '../prompts/turn-prompt';

/** SQL of `reply_request`: what a model was asked for each reply, and what it wrote. */
@Injectable()
export class ReplyRequestRepository {
  async add(
    tx: Tx,
    asked: {
      readonly attemptId: string;
      readonly turnId: string;
      readonly model: string;
      readonly request: ModelRequest;
      readonly input: StoredPrompt;
    },
  ): Promise<void> {
    const { parameters, promptHash, inputHash } = fingerprintOf(asked.request);
    await tx.query(
      `insert into reply_request
         (attempt_id, turn_id, model, parameters, prompt_hash, input, input_hash)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [
        asked.attemptId,
        asked.turnId,
        asked.model,
        JSON.stringify(parameters),
        promptHash,
        JSON.stringify(asked.input),
        inputHash,
      ],
    );
  }

  /** The first output stays. */
  async setOutput(tx: Tx, attemptId: string, output: ModelOutput): Promise<void> {
    await tx.query(
      'update reply_request set output = $2 where attempt_id = $1 and output is null',
      [attemptId, JSON.stringify(output)],
    );
  }

  /** The request that a model's reply came from. Undefined: there is none, or code wrote the reply. */
  async findOfReply(tx: Tx, turnId: string): Promise<ReplyRequest | undefined> {
    const [row] = await tx.query<ReplyRequest>(
      `select q.turn_id as "turnId", t.conversation_id as "conversationId", t.answer_id as "answerId",
         q.model, q.parameters, q.prompt_hash as "promptHash", q.input,
         q.input_hash as "inputHash", q.output
       from reply_request q join turn t on t.id = q.turn_id
       where q.turn_id = $1 and t.prompt is not null
       order by q.attempt_id desc limit 1`,
      [turnId],
    );
    return row;
  }
}

/** Shows whether two requests are the same: the parameters, and SHA-256 (hex) of the texts. */
export interface RequestFingerprint {
  readonly parameters: Parameters;
  /** Of the instructions and the schema. */
  readonly promptHash: string;
  /** Of the data: vacancy, transcript, question, answer. */
  readonly inputHash: string;
}

export function fingerprintOf({
  system,
  schema,
  messages,
  tools = [],
  maxOutputTokens,
}: ModelRequest): RequestFingerprint {
  return {
    parameters: {
      maxOutputTokens,
      temperature: "the server's",
      tools: tools.map(({ name }) => name),
    },
    promptHash: sha256(JSON.stringify([system, schema])),
    inputHash: sha256(messages.map(({ content }) => content).join('\n')),
  };
}

interface Parameters {
  readonly maxOutputTokens: number;
  readonly temperature: string;
  readonly tools: readonly string[];
}

/** What a model wrote: its text as it came, usually JSON, and the tools that it called. */
export interface ModelOutput {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
}

/** A request for a reply as it was sent, apart from the texts of messages. */
export interface ReplyRequest {
  readonly turnId: string;
  readonly conversationId: string;
  readonly answerId: string;
  readonly model: string;
  readonly parameters: Parameters;
  readonly promptHash: string;
  readonly input: StoredPrompt;
  readonly inputHash: string;
  /** Null: the request has not ended. */
  readonly output: ModelOutput | null;
}
