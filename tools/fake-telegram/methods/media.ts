import type { Message, MessageEntity, ParseMode } from '@grammyjs/types';
import { ApiError } from '../api-error';
import { captionText } from '../text/formatted-text';
import type { StoredFile } from '../state/files';
import { type MediaKind, fileOfKind, mediaContent } from '../state/media';
import type { CallContext, Methods } from './context';
import { type NewContent, send } from './sending';

interface Captioned {
  readonly caption?: string;
  readonly parse_mode?: ParseMode;
  readonly caption_entities?: readonly MessageEntity[];
}

export const MEDIA: Methods = {
  sendPhoto: (context, params) =>
    send(context, params, () =>
      withCaption(context, 'photo', params.photo, params),
    ) as Message.PhotoMessage,
  sendDocument: (context, params) =>
    send(context, params, () =>
      withCaption(context, 'document', params.document, params),
    ) as Message.DocumentMessage,
  sendVoice: (context, params) =>
    send(context, params, () =>
      withCaption(context, 'voice', params.voice, params),
    ) as Message.VoiceMessage,
  sendSticker: (context, params) =>
    send(context, params, () =>
      withCaption(context, 'sticker', params.sticker, {}),
    ) as Message.StickerMessage,
  sendContact: (context, params) =>
    send(context, params, () => {
      const { phone_number, first_name } = params;
      return { contact: { phone_number, first_name } };
    }) as Message.ContactMessage,
  sendLocation: (context, params) =>
    send(context, params, () => {
      const { latitude, longitude } = params;
      return { location: { latitude, longitude } };
    }) as Message.LocationMessage,
};

function withCaption(
  context: CallContext,
  kind: MediaKind,
  source: string,
  { caption = '', parse_mode, caption_entities }: Captioned,
): NewContent {
  const { text, entities } = captionText({ text: caption, parse_mode, entities: caption_entities });
  return {
    ...mediaContent(kind, fileBehind(context, kind, source)),
    ...(text === '' ? {} : { caption: text }),
    ...(entities.length === 0 ? {} : { caption_entities: [...entities] }),
  };
}

/** A known file_id, or an upload; this server fetches no URL. */
function fileBehind({ state, uploads }: CallContext, kind: MediaKind, source: string): StoredFile {
  if (source.startsWith('attach://')) {
    const upload = uploads.get(source.slice('attach://'.length));
    if (upload === undefined) throw ApiError.badRequest('there is no file in the request');
    return state.files.put(fileOfKind(kind, upload));
  }
  const known = state.files.find(source);
  if (known === null) {
    throw ApiError.badRequest('wrong file identifier/HTTP URL specified');
  }
  return known;
}
