import { Injectable } from '@nestjs/common';
import { UnitsOfWork } from '../../../common/uow';
import { CandidateUnknownError, PersonalData, type PersonalDataExport } from '../../../privacy';
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
    const found = await this.find(candidateId);
    if (found === null) return;
    const language = found.conversations.at(-1)?.language === 'ru' ? 'ru' : 'en';
    const source = Buffer.from(JSON.stringify(found, null, 2));
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

  private async find(candidateId: string): Promise<PersonalDataExport | null> {
    try {
      return await this.units.run('my data', (uow) =>
        uow.commit('mydata.export', (tx) => this.personalData.exportOf(tx, candidateId)),
      );
    } catch (error) {
      if (error instanceof CandidateUnknownError) return null;
      throw error;
    }
  }
}
