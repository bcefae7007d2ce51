import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { VoiceUnknownError } from './errors';
import type { VoiceRow } from './voice';
import { VoiceRepository } from './voice-table';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const PAGE = 100;

export interface VoicePage {
  readonly voices: readonly VoiceRow[];
  /** Asks for what is older; null: these are the first ones. */
  readonly olderCursor: number | null;
}

export interface Recording {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** What candidates recorded, for the people who read their interviews. Writes nothing. */
@Injectable()
export class VoiceArchive {
  constructor(private readonly voices: VoiceRepository) {}

  /**
   * The newest 100, or those before `before`, in the order of the conversation; none where there is
   * no such conversation.
   */
  async page(tx: Tx, conversationId: string, before: number | null): Promise<VoicePage> {
    if (!UUID.test(conversationId)) return { voices: [], olderCursor: null };
    const rows = await this.voices.newest(tx, { conversationId, before, limit: PAGE + 1 });
    const voices = rows.slice(-PAGE);
    return { voices, olderCursor: rows.length > PAGE ? (voices[0]?.seq ?? null) : null };
  }

  /** Throws VoiceUnknownError, also for an audio that was never received. */
  async recording(
    tx: Tx,
    of: { readonly conversationId: string; readonly messageId: string },
  ): Promise<Recording> {
    const voice = UUID.test(of.messageId) ? await this.voices.find(tx, of.messageId) : undefined;
    const isTheirs = voice?.conversationId === of.conversationId;
    const bytes = isTheirs ? await this.voices.audio(tx, of.messageId) : null;
    if (voice === undefined || bytes === null) {
      throw new VoiceUnknownError('there is no such recording');
    }
    return { bytes, mimeType: voice.mimeType };
  }
}
