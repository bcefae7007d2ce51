import type { Message, ReplyParameters } from '@grammyjs/types';
import { ApiError } from '../api-error';
import { messageText, readText, TEXT_LIMIT } from '../text/formatted-text';
import { replyTo } from '../state/reply';
import type { Room } from '../state/room';
import { type CallContext, type Methods, openRoom } from './context';
import { type Markup, applyMarkup } from './reply-markup';

export const SENDING: Methods = {
  sendMessage: (context, params) => {
    const message = send(context, params, () => {
      const { text, entities } = messageText(params);
      return { text, ...(entities.length === 0 ? {} : { entities: [...entities] }) };
    });
    return message as Message.TextMessage;
  },
  sendMessageDraft: ({ state }, { chat_id, draft_id, ...source }) => {
    const room = openRoom(state, chat_id);
    if (room.chat.type !== 'private') throw ApiError.badRequest('PEER_ID_INVALID');
    if (draft_id === 0) throw ApiError.badRequest('RANDOM_ID_INVALID');
    const { text, entities } = readText({ text: '', ...source });
    if (text.length > TEXT_LIMIT) throw ApiError.badRequest('message is too long');
    room.draft = { id: draft_id, text, entities, untilMs: state.nowMs + DRAFT_LIVES_MS };
    state.changes.notify();
    return true;
  },
  sendChatAction: ({ state }, { chat_id, action }) => {
    const room = openRoom(state, chat_id);
    room.action = { name: action, untilMs: state.nowMs + ACTION_LIVES_MS };
    state.changes.notify();
    return true;
  },
};

/** How long a draft is shown, unless a message or another draft follows. */
const DRAFT_LIVES_MS = 30_000;
const ACTION_LIVES_MS = 5_000;

interface SendParams {
  readonly chat_id: number | string;
  readonly reply_markup?: Markup;
  readonly reply_parameters?: ReplyParameters;
  readonly reply_to_message_id?: number;
}

export type NewContent = Omit<Message, 'message_id' | 'date' | 'chat' | 'from' | 'sender_chat'>;

/** Adds a bot's message and removes the draft and the typing action. Throws before any effect. */
export function send(
  { state, flood }: CallContext,
  params: SendParams,
  content: (room: Room) => NewContent,
): Message {
  const room = openRoom(state, params.chat_id);
  const answered = repliedTo(room, params);
  const ready = content(room);
  flood.count(String(room.chat.id));
  const buttons = applyMarkup(room, params.reply_markup);
  room.draft = null;
  room.action = null;
  return state.add(room, {
    ...(room.chat.type === 'channel' ? { sender_chat: room.chat } : { from: state.botUser }),
    ...ready,
    ...answered,
    ...(buttons === undefined ? {} : { reply_markup: buttons }),
  });
}

function repliedTo(room: Room, params: SendParams): Partial<Message> {
  const { reply_parameters: asked, reply_to_message_id: older } = params;
  const id = asked?.message_id ?? older;
  if (id === undefined) return {};
  const found = room.find(id);
  if (found !== null) return replyTo(found);
  if (asked?.allow_sending_without_reply === true) return {};
  throw ApiError.badRequest('message to be replied not found');
}
