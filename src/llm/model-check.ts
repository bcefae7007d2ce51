import type { Clock } from '../common/clock';
import type { Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import { type CheckOutcome, ok, problem, warning } from '../common/check-outcome';
import { openAiAt, watched, Watchdog } from './openai-http';

const PATIENCE_MS = 10_000;

/**
 * Checks the model server of the settings without asking for a completion: whether it responds, takes
 * the key, and knows each model. No sentence contains the key or the server's text.
 */
export async function examineModel({ llm }: Settings, clock: Clock): Promise<CheckOutcome[]> {
  if (llm.apiKey === '') {
    return [ok('OPENAI_API_KEY is not set: the scripted interviewer asks the questions.')];
  }
  const server = new ListedModels(llm, clock);
  const models = [
    ['OPENAI_MODEL', llm.model],
    ['OPENAI_EMBEDDING_MODEL', llm.embeddingModel],
    ['OPENAI_TRANSCRIPTION_MODEL', llm.transcriptionModel],
  ] as const;
  const outcomes: CheckOutcome[] = [];
  for (const [variable, model] of models) {
    if (model === null) continue;
    const outcome = await server.examine(`${variable}=${model}`, model);
    outcomes.push(outcome);
    // The reason would be the same for the next model.
    if (outcome.kind === 'problem' && !server.hasResponded) break;
  }
  return outcomes;
}

class ListedModels {
  hasResponded = false;
  private readonly openai;
  private readonly where: string;

  constructor(
    llm: Settings['llm'],
    private readonly clock: Clock,
  ) {
    this.openai = openAiAt(llm);
    this.where = new URL(llm.baseUrl).host;
  }

  async examine(setting: string, model: string): Promise<CheckOutcome> {
    try {
      if (await this.knows(model)) {
        return ok(`The model server at ${this.where} takes the key and knows ${setting}.`);
      }
      return problem(
        `The model server at ${this.where} does not know ${setting}: set it to a model that this key may use.`,
      );
    } catch (error) {
      return this.failureOf(error, setting);
    }
  }

  /** By its own address, else in the list: some servers have only one of the two. */
  private async knows(model: string): Promise<boolean> {
    try {
      await this.ask((signal) => this.openai.models.retrieve(model, { signal }));
      return true;
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
    const { data } = await this.ask((signal) => this.openai.models.list({ signal }));
    this.hasResponded = true;
    return data.some(({ id }) => id === model);
  }

  private ask<T>(request: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const watch = new Watchdog(this.clock, new AbortController().signal, PATIENCE_MS);
    return watched(
      watch,
      () => request(watch.signal),
      () => this.clock.now(),
    );
  }

  private failureOf(error: unknown, setting: string): CheckOutcome {
    const status = statusOf(error);
    if (status === 401 || status === 403) {
      return problem(
        `The model server at ${this.where} refuses the key (${status}): check OPENAI_API_KEY, and that it belongs to OPENAI_BASE_URL.`,
      );
    }
    if (status === 404 || status === 405) {
      this.hasResponded = true;
      return warning(
        `The model server at ${this.where} lists no models, so ${setting} was not checked: check OPENAI_BASE_URL if no reply comes.`,
      );
    }
    if (status === 402 || status === 429) {
      return problem(
        `The model server at ${this.where} takes no requests of this key now (${status}): check its credit and limits.`,
      );
    }
    const why = status === null ? 'sends no usable response' : `responds with status ${status}`;
    return problem(
      `The model server at ${this.where} ${why}: check OPENAI_BASE_URL and the network; answers wait meanwhile.`,
    );
  }
}

function statusOf(error: unknown): number | null {
  const status = error instanceof ColloquyError ? error.fields['status'] : undefined;
  return typeof status === 'number' ? status : null;
}
