import type { ApiMethods, Opts } from '@grammyjs/types';
import { ApiError } from '../api-error';
import type { LongPoll } from '../delivery/long-poll';
import type { Webhook } from '../delivery/webhook';
import type { Flood } from '../flood';
import type { Upload } from '../http/call-request';
import type { Room } from '../state/room';
import type { TelegramState } from '../state/telegram-state';

/** The server's parts that a method uses. */
export interface CallContext {
  readonly state: TelegramState;
  readonly polls: LongPoll;
  readonly webhook: Webhook;
  readonly flood: Flood;
  readonly uploads: ReadonlyMap<string, Upload>;
  /** Aborts when the caller has closed the connection. */
  readonly gone: AbortSignal;
}

export type MethodName = keyof ApiMethods<string>;
export type Args<Name extends MethodName> = Opts<string>[Name];
export type Result<Name extends MethodName> = ReturnType<ApiMethods<string>[Name]>;

/** A method; it throws ApiError for what the Bot API refuses. */
export type Method<Name extends MethodName> = (
  context: CallContext,
  params: Args<Name>,
) => Result<Name> | Promise<Result<Name>>;

export type Methods = { readonly [Name in MethodName]?: Method<Name> };

/** The room of a chat that the bot may write to. */
export function openRoom(state: TelegramState, chatId: number | string): Room {
  const room = knownRoom(state, chatId);
  if (room.closed !== null) throw ApiError.forbidden(room.closed);
  return room;
}

/** By number, by a number in a text, or by @username. */
export function knownRoom(state: TelegramState, chatId: number | string): Room {
  const wanted = String(chatId);
  for (const room of state.rooms.values()) {
    if (wanted === String(room.chat.id)) return room;
    const { username } = room.chat;
    if (username !== undefined && wanted.toLowerCase() === `@${username.toLowerCase()}`)
      return room;
  }
  throw ApiError.badRequest('chat not found');
}
