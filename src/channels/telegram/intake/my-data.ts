import { Injectable } from '@nestjs/common';
import { UnitOfWorkFactory } from '../../../common/uow';
import { CandidateUnknownError, type PageCommit, PersonalDataService } from '../../../privacy';
import { BotApi } from '../api/bot-api';
import { telegramTextsOf } from '../texts/texts';

/** Tens of megabytes, over a slow line, read from the database meanwhile. */
const TIMEOUT_MS = 120_000;

/** Everything that is stored about a person, as a file in their chat. */
@Injectable()
export class MyData {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly personalData: PersonalDataService,
    private readonly api: BotApi,
  ) {}

  /**
   * Sends the export as it is read: memory holds a page of it. Throws BotApiError. Nothing is sent
   * about somebody who was erased meanwhile.
   */
  async send(chatId: number, candidateId: string, signal: AbortSignal): Promise<void> {
    const commit: PageCommit = (label, work) =>
      this.units.run('my data', (uow) => uow.commit(label, work));
    try {
      const { language, pieces } = await this.personalData.exportOf(commit, candidateId);
      await this.api.upload(
        'sendDocument',
        { chat_id: String(chatId), caption: telegramTextsOf(language).myDataCaption },
        { field: 'document', name: 'my-data.json', mimeType: 'application/json', pieces },
        { signal, timeoutMs: TIMEOUT_MS },
      );
    } catch (error) {
      if (!(error instanceof CandidateUnknownError)) throw error;
    }
  }
}
