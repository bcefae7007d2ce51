import { Injectable } from '@nestjs/common';
import { UnitsOfWork } from '../../../common/uow';
import { CandidateUnknownError, type PageCommit, PersonalData } from '../../../privacy';
import { BotApi } from '../api/bot-api';
import { telegramTextsOf } from '../texts';

/** With recordings it may be several megabytes, over a slow line. */
const TIMEOUT_MS = 60_000;

/** Everything that is stored about a person, as a file in their chat. */
@Injectable()
export class MyData {
  constructor(
    private readonly units: UnitsOfWork,
    private readonly personalData: PersonalData,
    private readonly api: BotApi,
  ) {}

  /** Throws BotApiError. Nothing is sent about somebody who was erased meanwhile. */
  async send(chatId: number, candidateId: string, signal: AbortSignal): Promise<void> {
    const file = await this.find(candidateId);
    if (file === null) return;
    const { language, source } = file;
    await this.api.call(
      'sendDocument',
      {
        chat_id: chatId,
        document: { source, filename: 'my-data.json' },
        caption: telegramTextsOf(language).myDataCaption,
      },
      { signal, timeoutMs: TIMEOUT_MS },
    );
  }

  /** The Bot API takes a whole file; recordings in it are bounded. */
  private async find(
    candidateId: string,
  ): Promise<{ language: 'ru' | 'en'; source: Buffer } | null> {
    const commit: PageCommit = (label, work) =>
      this.units.run('my data', (uow) => uow.commit(label, work));
    try {
      const { language, pieces } = await this.personalData.exportOf(commit, candidateId);
      const parts: Buffer[] = [];
      for await (const piece of pieces) parts.push(Buffer.from(piece));
      return { language, source: Buffer.concat(parts) };
    } catch (error) {
      if (error instanceof CandidateUnknownError) return null;
      throw error;
    }
  }
}
