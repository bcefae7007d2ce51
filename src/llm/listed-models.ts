import type { Clock } from '../common/clock';
import { type CheckOutcome, ok, problem, warning } from '../common/check-outcome';
import { ColloquyError } from '../common/errors';
import type { ReplyServer } from './model-check';
import { openAiAt, watched, Watchdog } from './openai-http';

const PATIENCE_MS = 10_000;

/** Which models a server knows, asked without a completion. */
export class ListedModels {
  hasResponded = false;
  private readonly openai;
  private readonly where: string;

  constructor(
    private readonly server: ReplyServer,
    private readonly clock: Clock,
  ) {
    this.openai = openAiAt(server);
    this.where = new URL(server.baseUrl).host;
  }

  async examine(setting: string, model: string): Promise<CheckOutcome> {
    try {
      const isKnown = await this.knows(model);
      if (isKnown === true) {
        return ok(`The model server at ${this.where} takes the key and knows ${setting}.`);
      }
      if (isKnown === null) {
        return warning(
          `The model server at ${this.where} lists only a part of its models, so ${setting} was not checked.`,
        );
      }
      return problem(
        `The model server at ${this.where} does not know ${setting}: set it to a model that this key may use.`,
      );
    } catch (error) {
      return this.failureOf(error, setting);
    }
  }

  /**
   * By its own address, else in the list: some servers have only one of the two. Null: the list is cut, so a
   * model that is not in it may still be known.
   */
  private async knows(model: string): Promise<boolean | null> {
    try {
      await this.ask((signal) => this.openai.models.retrieve(model, { signal }));
      return true;
    } catch (error) {
      if (statusOf(error) !== 404) throw error;
    }
    const list = await this.ask((signal) =>
      this.openai.get<{ data: { id: string }[]; has_more?: unknown }>('/models', {
        signal,
      }),
    );
    this.hasResponded = true;
    if (list.data.some(({ id }) => id === model)) return true;
    return list.has_more === true ? null : false;
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
    const { prefix } = this.server;
    const status = statusOf(error);
    if (status === 401 || status === 403) {
      return problem(
        `The model server at ${this.where} refuses the key (${status}): check ${prefix}_API_KEY, and that it belongs to ${prefix}_BASE_URL.`,
      );
    }
    if (status === 404 || status === 405) {
      this.hasResponded = true;
      return warning(
        `The model server at ${this.where} lists no models, so ${setting} was not checked: check ${prefix}_BASE_URL if no reply comes.`,
      );
    }
    if (status === 402 || status === 429) {
      return problem(
        `The model server at ${this.where} takes no requests of this key now (${status}): check its credit and limits.`,
      );
    }
    const why = status === null ? 'sends no usable response' : `responds with status ${status}`;
    return problem(
      `The model server at ${this.where} ${why}: check ${prefix}_BASE_URL and the network; answers wait meanwhile.`,
    );
  }
}

function statusOf(error: unknown): number | null {
  const status = error instanceof ColloquyError ? error.fields['status'] : undefined;
  return typeof status === 'number' ? status : null;
}
