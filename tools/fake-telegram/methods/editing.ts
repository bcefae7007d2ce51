import type { Message } from '@grammyjs/types';
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../api-error';
import { messageText } from '../text/formatted-text';
import type { Room } from '../state/room';
import { type CallContext, type Methods, openRoom } from './context';
import { checked } from './reply-markup';

const SAME =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';

export const EDITING: Methods = {
  editMessageText: (context, params) => {
    const { room, message } = ownMessage(context, params);
    const { text: newText } = params;
    if (newText === undefined) throw ApiError.badRequest('message text is empty');
    if (message.text === undefined)
      throw ApiError.badRequest('there is no text in the message to edit');
    const { text, entities } = messageText({ ...params, text: newText });
    const { reply_markup: _buttons, entities: _entities, ...kept } = message;
    const buttons = params.reply_markup === undefined ? undefined : checked(params.reply_markup);
    return put(context, room, message, {
      ...kept,
      text,
      ...(entities.length === 0 ? {} : { entities: [...entities] }),
      ...(buttons === undefined ? {} : { reply_markup: buttons }),
    }) as Message.TextMessage & { edit_date: number };
  },
  editMessageReplyMarkup: (context, params) => {
    const { room, message } = ownMessage(context, params);
    const { reply_markup: _buttons, ...kept } = message;
    const buttons = params.reply_markup === undefined ? undefined : checked(params.reply_markup);
    const edited = buttons === undefined ? kept : { ...kept, reply_markup: buttons };
    const result = put(context, room, message, edited);
    // People see no "edited" when only buttons change.
    room.replace(edited);
    return result;
  },
  deleteMessage: ({ state }, { chat_id, message_id }) => {
    const room = openRoom(state, chat_id);
    if (!room.remove(message_id)) throw ApiError.badRequest('message to delete not found');
    state.changes.notify();
    return true;
  },
  deleteMessages: ({ state }, { chat_id, message_ids }) => {
    const room = openRoom(state, chat_id);
    for (const id of message_ids) room.remove(id);
    state.changes.notify();
    return true;
  },
};

interface MessageAddress {
  readonly chat_id?: number | string;
  readonly message_id?: number;
}

function ownMessage(
  { state }: CallContext,
  { chat_id, message_id }: MessageAddress,
): { room: Room; message: Message } {
  if (chat_id === undefined || message_id === undefined) {
    throw ApiError.badRequest('message identifier is not specified');
  }
  const room = openRoom(state, chat_id);
  const message = room.find(message_id);
  if (message === null) throw ApiError.badRequest('message to edit not found');
  const isOwn = message.from?.id === state.bot.id || room.chat.type === 'channel';
  if (!isOwn) throw ApiError.badRequest("message can't be edited");
  return { room, message };
}

function put(
  { state }: CallContext,
  room: Room,
  before: Message,
  after: Message,
): Message & { edit_date: number } {
  const { edit_date: _before, ...was } = before;
  const { edit_date: _after, ...is } = after;
  if (isDeepStrictEqual(was, is)) throw ApiError.badRequest(SAME);
  const edited = { ...after, edit_date: state.unixNow };
  room.replace(edited);
  state.changes.notify();
  return edited;
}
