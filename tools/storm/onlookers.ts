import { setTimeout as pause } from 'node:timers/promises';
import { TelegramCandidate, type StormWorld, WebCandidate, isOver } from './candidates';
import { lettersOf } from './chance';

const WRITES_EVERY_MS = 1500;
const ASKS_AFTER_MS = 5000;
/** Tokens of onlookers never meet those of candidates. */
const FIRST_TOKEN = 200_000_000;

/** What onlookers did, for the check of I10. */
export interface OnlookerFacts {
  /** Tokens that were written to the bot without consent. */
  readonly unconsented: readonly string[];
  /** Conversations whose candidate has asked for a person. */
  readonly askedForPerson: readonly string[];
}

/**
 * Two people who answer no question: one on Telegram who reads the disclosure, never consents and writes all
 * the same, and one on the page who asks for a person in the middle of the storm.
 */
export class Onlookers {
  private readonly unconsented: string[] = [];
  private readonly askedForPerson: string[] = [];
  private readonly undecided: TelegramCandidate;
  private readonly asking: WebCandidate;

  constructor(
    private readonly world: StormWorld,
    firstNumber: number,
    asking: WebCandidate,
  ) {
    this.undecided = new TelegramCandidate(firstNumber, world);
    this.asking = asking;
  }

  get facts(): OnlookerFacts {
    return { unconsented: this.unconsented, askedForPerson: this.askedForPerson };
  }

  async enter(): Promise<void> {
    await Promise.all([this.undecided.readDisclosure(), this.asking.enter()]);
  }

  async run(): Promise<void> {
    await Promise.all([this.writeWithoutConsent(), this.askForPerson()]);
  }

  private async writeWithoutConsent(): Promise<void> {
    const { writing } = this.world;
    while (!isOver(writing)) {
      const token = `qx${lettersOf(FIRST_TOKEN + this.unconsented.length)}`;
      this.unconsented.push(token);
      await this.undecided.send(`I have not decided yet ${token}`);
      await pause(WRITES_EVERY_MS, undefined, { signal: writing }).catch(() => undefined);
    }
  }

  private async askForPerson(): Promise<void> {
    await pause(ASKS_AFTER_MS);
    await this.asking.askForPerson();
    this.askedForPerson.push(this.asking.conversationId);
  }
}
