import type { Tx } from '../common/uow';
import { candidateLink, telegramLink } from '../vacancies';
import type { CliContext } from './cli-context';

/** The links that candidates open, as the running application makes them. */
export interface Links {
  webLink(token: string): string;
  /** Null: no bot is known. */
  telegramLink(token: string): string | null;
}

/** The settings of this command win over what the application that runs has stored about itself. */
export async function linksOf({ settings, instances }: CliContext, tx: Tx): Promise<Links> {
  const { http, telegram } = settings;
  const instance = await instances.find(tx);
  const publicUrl = http.publicUrl === '' ? (instance?.publicUrl ?? '') : http.publicUrl;
  const botName = telegram.botName === '' ? (instance?.botName ?? '') : telegram.botName;
  return {
    webLink: (token) => candidateLink({ publicUrl, port: http.port }, token),
    telegramLink: (token) => (botName === '' ? null : telegramLink(botName, token)),
  };
}
