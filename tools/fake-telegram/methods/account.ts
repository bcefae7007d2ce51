import type { BotCommandScope } from '@grammyjs/types';
import { ApiError } from '../api-error';
import { type Methods, knownRoom } from './context';

/** A bot may fetch no larger file. */
const LARGEST_FILE_BYTES = 20 * 1024 * 1024;
const LONGEST_NOTICE = 200;
const MOST_COMMANDS = 100;

export const ACCOUNT: Methods = {
  getMe: ({ state }) => state.bot,
  logOut: () => true,
  close: () => true,
  answerCallbackQuery: ({ state }, { callback_query_id, text = '', show_alert = false }) => {
    const press = state.presses.get(callback_query_id);
    if (press === undefined || press.answered || press.expiresAtMs <= state.nowMs) {
      throw ApiError.badRequest(
        'query is too old and response timeout expired or query ID is invalid',
      );
    }
    if (text.length > LONGEST_NOTICE) throw ApiError.badRequest('MESSAGE_TOO_LONG');
    press.answered = true;
    if (text !== '') {
      state.rooms.get(press.chatId)?.notices.push({ text, isAlert: show_alert });
    }
    state.changes.notify();
    return true;
  },
  getFile: ({ state }, { file_id }) => {
    const file = state.files.find(file_id);
    if (file === null) throw ApiError.badRequest('invalid file_id');
    if (file.file_size > LARGEST_FILE_BYTES) throw ApiError.badRequest('file is too big');
    state.files.openLink(file);
    const { file_unique_id, file_size, path: file_path } = file;
    return { file_id, file_unique_id, file_size, file_path };
  },
  getChatMember: ({ state }, { chat_id, user_id }) => {
    knownRoom(state, chat_id);
    const known = state.rooms.get(user_id)?.chat;
    if (known?.type !== 'private') throw ApiError.badRequest('PARTICIPANT_ID_INVALID');
    const { first_name } = known;
    return { status: 'member', user: { id: user_id, is_bot: false, first_name } };
  },
  setMyCommands: ({ state }, { commands, scope, language_code }) => {
    if (commands.length > MOST_COMMANDS) throw ApiError.badRequest('BOT_COMMANDS_TOO_MUCH');
    const wrong = commands.find(({ command }) => !/^[a-z0-9_]{1,32}$/.test(command));
    if (wrong !== undefined) throw ApiError.badRequest('BOT_COMMAND_INVALID');
    state.commands.set(commandKey(scope, language_code), [...commands]);
    return true;
  },
  getMyCommands: ({ state }, { scope, language_code }) => [
    ...(state.commands.get(commandKey(scope, language_code)) ?? []),
  ],
  deleteMyCommands: ({ state }, { scope, language_code }) => {
    state.commands.delete(commandKey(scope, language_code));
    return true;
  },
  // Calls without a visible effect in a chat are accepted and do nothing.
  setMyName: () => true,
  setMyDescription: () => true,
  setMyShortDescription: () => true,
  setChatMenuButton: () => true,
  setMessageReaction: () => true,
};

function commandKey(scope: BotCommandScope | undefined, language = ''): string {
  return `${JSON.stringify(scope ?? { type: 'default' })} ${language}`;
}
