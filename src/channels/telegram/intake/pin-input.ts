import { Injectable } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { UnitOfWorkFactory } from '../../../common/uow';
import { type Pin, PinHasher, readPin } from '../../../vacancies';
import { PinLimits } from './pin-limits.repository';
import { incomingOf } from './incoming';

/**
 * The key by which an invitation is found for a PIN. It takes tens of milliseconds on purpose, so it
 * is made before the commit, of every text that reads as a PIN: few do. None is made while PINs of
 * the account, or of all accounts, are not taken.
 */
@Injectable()
export class PinInput {
  constructor(
    private readonly keys: PinHasher,
    private readonly units: UnitOfWorkFactory,
    private readonly limits: PinLimits,
  ) {}

  async keyOf(update: Update): Promise<string | null> {
    const pin = pinOf(update);
    const incoming = incomingOf(update);
    if (pin === null || incoming.kind !== 'person') return null;
    return (await this.isTaken(incoming.chatId)) ? this.keys.keyOf(pin) : null;
  }

  private isTaken(chatId: number): Promise<boolean> {
    return this.units.run('pin', (uow) =>
      uow.commit('telegram.pinAllowed', async (tx) => {
        const { lockedForMs, pausedForMs } = await this.limits.stateOf(tx, chatId);
        return lockedForMs === 0 && pausedForMs === 0;
      }),
    );
  }
}

/** The text of an update, if it reads as a PIN; also of an edit, which corrects a mistyped one. */
export function pinOf(update: Update): Pin | null {
  const message =
    'message' in update
      ? update.message
      : 'edited_message' in update
        ? update.edited_message
        : null;
  return message !== null && 'text' in message ? readPin(message.text) : null;
}
