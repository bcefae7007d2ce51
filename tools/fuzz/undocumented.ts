import type { Chance } from '../storm/chance';
import type { Operation } from './api-document';
import type { FuzzRequest } from './http-client';
import type { Target } from './people';
import { MUTATIONS, hostileParameter, mutate } from './values';

/** Addresses that the document leaves out: they get neither a 5xx nor anybody's data. */
const UNDOCUMENTED: readonly Operation[] = [
  ['GET', '/'],
  ['GET', '/i/{token}'],
  ['GET', '/console/conversations/{id}'],
  ['GET', '/logos/{hash}'],
  ['GET', '/health/ready'],
  ['GET', '/metrics'],
  ['GET', '/docs/{file}'],
  ['POST', '/webhooks/notion'],
  ['POST', '/webhooks/telegram'],
].map(([method = '', path = '']) => ({
  name: `${method} ${path} (not in the document)`,
  method,
  path,
  needs: null,
  responses: {},
}));
/** Requests to the webhook per thousand; many, because it stores what it gets. */
const TELEGRAM = 400;

/** Texts of one person to the bot. */
export class Updates {
  private made = 0;

  constructor(
    private readonly chance: Chance,
    private readonly fuzzer: number,
  ) {}

  next() {
    this.made += 1;
    const id = this.fuzzer * 1_000_000 + this.made;
    const from = { id: 7000 + this.fuzzer, is_bot: false, first_name: 'Ada' };
    const message = {
      message_id: id,
      date: 1_790_000_000,
      chat: { id: from.id, type: 'private', first_name: 'Ada' },
      from,
      text: this.chance.pick(['hello', '/start', '/help', '/mydata', '1234 5678', '']),
    };
    return { update_id: id, message };
  }
}

/** A request to one of these addresses; webhooks get the update, or a changed one. */
export function undocumentedRequest(
  chance: Chance,
  update: object,
  { telegramSecret }: Target,
): [Operation, FuzzRequest] {
  const telegram = UNDOCUMENTED.at(-1);
  const isTelegram = telegram !== undefined && chance.below(1000) < TELEGRAM;
  const operation = isTelegram ? telegram : chance.pick(UNDOCUMENTED);
  const isValid = chance.below(3) === 0;
  const text = isValid ? JSON.stringify(update) : mutate(update, chance.pick(MUTATIONS), chance);
  const body = operation.method === 'GET' ? null : Buffer.from(text);
  const isSecretShown = operation === telegram && chance.below(8) > 0;
  const headers = {
    accept: chance.pick(['text/html', '*/*', 'application/json']),
    ...(isSecretShown ? { 'x-telegram-bot-api-secret-token': telegramSecret } : {}),
    ...(body === null
      ? {}
      : { 'content-type': 'application/json', 'content-length': String(body.length) }),
  };
  const target = operation.path.replace(/\{\w+\}/g, () => hostileParameter(chance));
  return [operation, { method: operation.method, target, headers, body }];
}
