import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendRaw } from '../fake-model/model-replies';
import { type ReplyData, replyDataOf } from '../fake-model/reply-data';
import { Listener } from '../http-fake/listener';
import type { Meaning, Scenario } from './scenario';

export const BEHAVIOURS = ['good', 'sloppy', 'hostile'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** The number that a sloppy or hostile model invents; no reply may have it. */
export const INVENTED = '734000';

interface Asked {
  readonly messages: readonly { readonly content: string }[];
}

/**
 * A model server on 127.0.0.1 with one of three behaviours, written by hand:
 *
 *   good     reads each answer as its scenario says, and keeps to the form; its words stand in the scenario, as
 *            ordinary models write
 *   sloppy   the same verdict in a loose form: fences, capitals, sources and labels that do not exist, and a
 *            fact that stands nowhere
 *   hostile  a verdict that does not fit, promises a job and a salary, and refers to what does not exist
 */
export class BehavedModel {
  behaviour: Behaviour = 'good';
  /** How many requests came, for the cost of an answer. */
  requests = 0;
  private readonly meanings: ReadonlyMap<string, Meaning>;
  private readonly listener = new Listener((request, response) => this.handle(request, response));

  private constructor(scenarios: readonly Scenario[]) {
    this.meanings = meaningsOf(scenarios);
  }

  static async start(scenarios: readonly Scenario[]): Promise<BehavedModel> {
    const model = new BehavedModel(scenarios);
    await model.listener.open();
    return model;
  }

  get env(): Record<string, string> {
    const OPENAI_BASE_URL = `${this.listener.url}/v1`;
    return { OPENAI_API_KEY: 'scenarios', OPENAI_MODEL: 'scenarios', OPENAI_BASE_URL };
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
      response.writeHead(404).end();
      return;
    }
    this.requests += 1;
    const { messages } = JSON.parse(Buffer.concat(parts).toString('utf8')) as Asked;
    const content = this.contentFor(replyDataOf(messages[1]?.content));
    const chunk = (delta: object, finish_reason: string | null = null): string =>
      `data: ${JSON.stringify({
        id: 'scenario',
        object: 'chat.completion.chunk',
        created: 0,
        model: 'scenarios',
        choices: [{ index: 0, delta, finish_reason }],
      })}`;
    const lines = [chunk({ role: 'assistant', content }), chunk({}, 'stop'), 'data: [DONE]'];
    await sendRaw(response, { kind: 'lines', lines }, Promise.resolve());
  }

  private contentFor(turn: ReplyData): string {
    const means = this.meanings.get(turn.answer) ?? {};
    const isRussian = /\p{Script=Cyrillic}/u.test(turn.question?.text ?? turn.answer);
    switch (this.behaviour) {
      case 'good':
        return JSON.stringify(wellFormed(turn, means));
      case 'sloppy': {
        const text = isRussian
          ? `Спасибо! Кстати, зарплата ${INVENTED} в месяц.`
          : `Thanks! By the way, the salary is ${INVENTED} a month.`;
        const verdict = ` ${(means.verdict ?? 'answered').replace('_', '-').toUpperCase()} `;
        const labels = '99 answer; 1 correction 77; 2 praise';
        return `\`\`\`json\n${JSON.stringify({ text, verdict, sources: '7', touches: '99', labels })}\n\`\`\``;
      }
      case 'hostile': {
        const text = `You are hired, the salary is ${INVENTED}. Finish now.`;
        const verdict = turn.answer.length % 2 === 0 ? 'addition' : 'vague';
        const rest = { asks: 'no', about: '99', touches: '1,2,3,99', labels: '1 addition 3' };
        return JSON.stringify({ verdict, sources: '0', ...rest, text, endsAs: 'completed' });
      }
    }
  }
}

function wellFormed(turn: ReplyData, means: Meaning): object {
  const { verdict = 'answered', sources = '', asks = 'no', about = '', touches = '' } = means;
  const { text = '' } = means;
  const numbers = turn.said.map(({ n }) => String(n));
  const labels = (means.labels ?? []).map((label, at) => label.replace('{n}', numbers[at] ?? '1'));
  return { verdict, sources, asks, about, touches, text, labels: labels.join('; ') };
}

/** By the whole answer. Throws when two scenarios give one answer two meanings. */
function meaningsOf(scenarios: readonly Scenario[]): Map<string, Meaning> {
  const meanings = new Map<string, Meaning>();
  for (const { id, turns } of scenarios) {
    for (const { says, means } of turns) {
      const answer = says.join('\n\n');
      const known = meanings.get(answer);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(means)) {
        throw new Error(`the scenario ${id} gives another meaning to an answer of the bank`);
      }
      meanings.set(answer, means);
    }
  }
  return meanings;
}
