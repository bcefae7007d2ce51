import { Injectable } from '@nestjs/common';
import { hashToken } from '../../common/ids';
import { UnitOfWorkFactory } from '../../common/uow';
import { EnrolmentRepository } from './notion-enrolment';

/** What newToken() makes. */
const NONCE = /^[\w-]{32}$/;

/**
 * Tells the handshake of whom an operator showed the address to from those that anybody can send.
 * All that come while one read runs share the next one: a flood costs one statement at a time, and
 * uses up nothing that Notion's own handshake needs.
 */
@Injectable()
export class EnrolmentNonce {
  private running: Promise<unknown> = Promise.resolve();
  private next: Promise<string | null> | null = null;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly enrolment: EnrolmentRepository,
  ) {}

  async isOpen(nonce: string): Promise<boolean> {
    if (!NONCE.test(nonce)) return false;
    return (await this.read()) === hashToken(nonce);
  }

  /** Begins after the caller came, so it knows an enrolment that was opened before that. */
  private read(): Promise<string | null> {
    this.next ??= this.running.then(() => {
      this.next = null;
      const reading = this.units.run('notion-enrolment', (uow) =>
        uow.commitOne('notion.nonce', (tx) => this.enrolment.openNonceHash(tx)),
      );
      this.running = reading.catch(() => undefined);
      return reading;
    });
    return this.next;
  }
}
