import { Injectable } from '@nestjs/common';
import type { Update } from 'telegraf/types';
import { type Pin, PinKeys, readPin } from '../../../hiring';

/**
 * The key by which an invitation is found for a PIN. It takes tens of milliseconds on purpose, so it
 * is made before the commit, of every text that reads as a PIN: few do.
 */
@Injectable()
export class PinInput {
  constructor(private readonly keys: PinKeys) {}

  async keyOf(update: Update): Promise<string | null> {
    const pin = pinOf(update);
    return pin === null ? null : this.keys.keyOf(pin);
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
