import type { Clock } from '../common/clock';
import type { Settings } from '../common/config';
import type { CheckOutcome } from '../common/check-outcome';
import type { ServerAddress } from './openai-http';

/** A server that may reply in interviews. */
export interface ReplyServer extends ServerAddress {
  readonly model: string;
  /** How the names of its settings begin. */
  readonly prefix: 'OPENAI' | 'OPENAI_FALLBACK';
}

/**
 * Checks a server without asking for a completion: whether it responds, takes the key, and knows each
 * model, the one for replies first. No sentence contains the key or the server's text.
 */
export async function examineServer(
  server: ReplyServer,
  { llm }: Settings,
  clock: Clock,
): Promise<CheckOutcome[]> {
  // Loaded only here, because it loads the library of the client.
  const { ListedModels } = await import('./listed-models');
  const listed = new ListedModels(server, clock);
  const isFirst = server.prefix === 'OPENAI';
  const models = [
    [`${server.prefix}_MODEL`, server.model],
    ['OPENAI_EMBEDDING_MODEL', isFirst ? llm.embeddingModel : null],
    ['OPENAI_TRANSCRIPTION_MODEL', isFirst ? llm.transcriptionModel : null],
  ] as const;
  const outcomes: CheckOutcome[] = [];
  for (const [variable, model] of models) {
    if (model === null) continue;
    const outcome = await listed.examine(`${variable}=${model}`, model);
    outcomes.push(outcome);
    // The reason would be the same for the next model.
    if (outcome.kind === 'problem' && !listed.hasResponded) break;
  }
  return outcomes;
}

/** In the order in which they are asked; empty: the scripted interviewer asks the questions. */
export function replyServers({ llm }: Settings): ReplyServer[] {
  if (llm.apiKey === '') return [];
  const { apiKey, baseUrl, model, fallback } = llm;
  const first = { apiKey, baseUrl, model, prefix: 'OPENAI' } as const;
  return fallback === null ? [first] : [first, { ...fallback, prefix: 'OPENAI_FALLBACK' }];
}
