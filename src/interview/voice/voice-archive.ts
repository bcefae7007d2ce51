import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { VoiceUnknownError } from './errors';
import type { VoiceRow } from './voice';
import { VoiceTable } from './voice-table';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface Recording {
  readonly bytes: Buffer;
  readonly mimeType: string;
}

/** What candidates recorded, for the people who read their interviews. Writes nothing. */
@Injectable()
export class VoiceArchive {
  constructor(private readonly voices: VoiceTable) {}

  /** In the order of the conversation; none where there is no such conversation. */
  async list(tx: Tx, conversationId: string): Promise<VoiceRow[]> {
    return UUID.test(conversationId) ? this.voices.list(tx, conversationId) : [];
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
