import { setTimeout as pause } from 'node:timers/promises';
import type { TelegramServer } from '../fake-telegram';
import type { PlayedChat } from '../fake-telegram/demo/demo-page';
import type { TelegramUser } from '../fake-telegram/people/telegram-user';
import {
  type Ending,
  type Pace,
  PlayedCandidate,
  type Role,
  TelegramTalk,
  WebTalk,
} from './candidates';
import type { RunningColloquy } from './running-colloquy';
import { type RunningDemo, vacancyFor } from './running-demo';

/** Thirty candidates who are played, on the page and on Telegram, in Russian and in English. */
export class Crowd {
  private readonly all: readonly Playing[];
  private readonly pace: Pace;

  /** DEMO_SPEED makes candidates write faster than people: 1 by default. */
  constructor(
    demo: RunningDemo,
    colloquy: RunningColloquy,
    private readonly telegram: TelegramServer,
  ) {
    const speed = Number(process.env.DEMO_SPEED ?? '1');
    if (!(speed > 0)) throw new Error(`DEMO_SPEED=${String(speed)}: expected a number above 0`);
    this.pace = { speed, signal: demo.aborted.signal };
    this.all = CROWD.map(([name, gender, language, channel, does], n) => {
      const role = { name, gender, language, ...(does === undefined ? {} : { habit: does }) };
      const user = channel === 'web' ? null : this.userOf(role, n);
      const vacancy = vacancyFor(colloquy.vacancies, language);
      const talk =
        user === null
          ? new WebTalk(colloquy.baseUrl, vacancy, this.pace)
          : new TelegramTalk(telegram, user, vacancy, this.pace);
      const candidate = new PlayedCandidate(role, talk, this.pace, n);
      return { role, channel, user, candidate, state: 'waiting' };
    });
  }

  get members(): readonly Member[] {
    return this.all.map(({ role, channel, candidate, state }) => ({
      role,
      channel,
      progress: candidate.progress,
      state,
    }));
  }

  /** The candidates on Telegram. Whoever is watched first begins. */
  forWatching(): readonly PlayedChat[] {
    return this.all.flatMap((one) => {
      const { role, user } = one;
      if (user === null) return [];
      const begin = (): void => void this.begin(one);
      const label = `${role.name} (${role.language === 'ru' ? 'Русский' : 'English'})`;
      return [
        {
          user,
          label,
          begin,
          get state() {
            if (one.state === 'waiting' || one.state === 'playing') return one.state;
            return 'over' as const;
          },
        },
      ];
    });
  }

  /** All come in, one after the other. */
  async arrive(): Promise<void> {
    const betweenMs = ARRIVALS_MS / this.all.length;
    for (const one of this.all) {
      void this.begin(one);
      await pause(betweenMs, undefined, { signal: this.pace.signal }).catch(() => undefined);
      if (this.pace.signal.aborted) return;
    }
  }

  /** Plays a candidate's interview, once. */
  private async begin(one: Playing): Promise<void> {
    if (one.state !== 'waiting') return;
    one.state = 'playing';
    try {
      one.state = await one.candidate.play();
    } catch (error) {
      one.state = 'lost';
      if (this.pace.signal.aborted) return;
      const reason = error instanceof Error ? error.message : String(error);
      console.error(`The interview of ${one.role.name} was lost: ${reason}`);
    }
  }

  private userOf({ name, language }: Role, n: number): TelegramUser {
    const [first_name = name, ...others] = name.split(' ');
    return this.telegram.user({
      id: BASE_USER_ID + n,
      first_name,
      last_name: others.join(' '),
      language_code: language,
    });
  }
}

interface Playing {
  readonly role: Role;
  readonly channel: Channel;
  readonly user: TelegramUser | null;
  readonly candidate: PlayedCandidate;
  state: Member['state'];
}

export type Channel = 'web' | 'telegram';

/** One of the crowd, for the index page. */
export interface Member {
  readonly role: Role;
  readonly channel: Channel;
  readonly progress: { readonly question: number; readonly of: number };
  readonly state: 'waiting' | 'playing' | Ending | 'lost';
}

const BASE_USER_ID = 100;
/** From the first candidate's arrival to the last one's. */
const ARRIVALS_MS = 120_000;

type Habit = NonNullable<Role['habit']>;
const asks = (at: number): Habit => ({ at, does: 'asks' });
const habit = (does: Habit['does'], at = 1): Habit => ({ at, does });

/** In the order of their arrival. On Telegram the language of an account is its interview's. */
const CROWD: readonly (readonly [string, 'f' | 'm', 'en' | 'ru', Channel, Habit?])[] = [
  ['Анна Ковалёва', 'f', 'ru', 'web'],
  ['Maya Ferreira', 'f', 'en', 'telegram', asks(3)],
  ['Priya Nandakumar', 'f', 'en', 'web', habit('calls a person', 2)],
  ['Тимур Ахметов', 'm', 'ru', 'telegram', asks(2)],
  ['Tom Keane', 'm', 'en', 'web', asks(2)],
  ['Ольга Синицына', 'f', 'ru', 'web', habit('says little', 3)],
  ['Diego Alvarez', 'm', 'en', 'telegram'],
  ['Павел Громов', 'm', 'ru', 'web', asks(4)],
  ['Ewa Zielińska', 'f', 'en', 'web'],
  ['Наталья Белых', 'f', 'ru', 'telegram', habit('stops', 3)],
  ['Kofi Boateng', 'm', 'en', 'web', habit('falls silent', 5)],
  ['Игорь Лаптев', 'm', 'ru', 'web', asks(3)],
  ['Sinead Walsh', 'f', 'en', 'telegram', habit('calls a person', 2)],
  ['Дарья Мельник', 'f', 'ru', 'web'],
  ['Arjun Mehta', 'm', 'en', 'web', asks(6)],
  ['Руслан Гареев', 'm', 'ru', 'telegram', habit('says little', 2)],
  ['Laura Bianchi', 'f', 'en', 'web', habit('stops', 4)],
  ['Мария Орлова', 'f', 'ru', 'web', habit('calls a person', 5)],
  ['Jakub Novotný', 'm', 'en', 'telegram', habit('says little', 4)],
  ['Алексей Рябов', 'm', 'ru', 'web', habit('falls silent', 2)],
  ['Chloé Martin', 'f', 'en', 'web'],
  ['Елена Жукова', 'f', 'ru', 'telegram'],
  ['Samir Haddad', 'm', 'en', 'web', asks(1)],
  ['Виктор Сорокин', 'm', 'ru', 'web', habit('declines')],
  ['Freya Lund', 'f', 'en', 'telegram', asks(5)],
  ['Гульнара Сафина', 'f', 'ru', 'web', asks(6)],
  ['Ben Osei', 'm', 'en', 'web', habit('stops', 2)],
  ['Кирилл Панов', 'm', 'ru', 'telegram', habit('calls a person', 3)],
  ['Ines Duarte', 'f', 'en', 'web', habit('falls silent', 3)],
  ['Светлана Юдина', 'f', 'ru', 'web', asks(5)],
];
