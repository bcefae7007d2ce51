import { Injectable } from '@nestjs/common';
import { COMMAND } from '../../common/command-name';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import type { UnitOfWork } from '../../common/uow';
import { EnrolmentRepository } from './enrolment.repository';
import { isSignedWith } from './webhook-guard';
import { hashToken } from '../../common/ids';

/** The token that signs events: NOTION_WEBHOOK_TOKEN, otherwise the enrolled one. */
@Injectable()
export class WebhookToken {
  private readonly setting;
  private read: { readonly token: string | null; readonly atMs: number } | null = null;
  private reading: Promise<string | null> | null = null;

  constructor(
    settings: Settings,
    private readonly enrolment: EnrolmentRepository,
    private readonly clock: Clock,
  ) {
    this.setting = settings.notionSync.webhookToken;
  }

  async judge(uow: UnitOfWork, bytes: Buffer, signature: string): Promise<Verdict> {
    for (const agedMs of [KEPT_MS, GAP_MS]) {
      const token = await this.token(uow, agedMs);
      if (token !== null && isSignedWith(token, bytes, signature)) return 'genuine';
    }
    return (await this.token(uow, GAP_MS)) === null ? 'no_token' : 'forged';
  }

  async isKnown(uow: UnitOfWork): Promise<boolean> {
    return (await this.token(uow, GAP_MS)) !== null;
  }

  /** A new token was stored, so the cached one is dropped. */
  forget(): void {
    this.read = null;
  }

  /** Of requests that come together, the unit of the first one reads for all. */
  private token(uow: UnitOfWork, agedMs: number): Promise<string | null> {
    if (this.setting !== '') return Promise.resolve(this.setting);
    const { read } = this;
    if (read !== null && this.clock.monotonicMs() - read.atMs < agedMs) {
      return Promise.resolve(read.token);
    }
    this.reading ??= this.readAgain(uow).finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async readAgain(uow: UnitOfWork): Promise<string | null> {
    const atMs = this.clock.monotonicMs();
    const { token } = await uow.commitOne('notion.token', (tx) => this.enrolment.state(tx));
    this.read = { token, atMs };
    return token;
  }
}

/** A cached token is read again after this time, because another replica may have replaced it. */
const KEPT_MS = 10_000;
/** Reads caused by forged requests are at least this far apart. */
const GAP_MS = 1000;

/** `no_token`: no token is known, so no signature can be verified. */
type Verdict = 'genuine' | 'forged' | 'no_token';

/** What newToken() makes. */
const NONCE = /^[\w-]{32}$/;

/**
 * Distinguishes Notion's handshake, which knows the address of the open enrolment, from those that
 * anybody can send. All that come while one read runs share the next one, so a flood costs one statement
 * at a time and does not block Notion's own handshake.
 */
@Injectable()
export class EnrolmentNonce {
  private running: Promise<unknown> = Promise.resolve();
  private next: Promise<string | null> | null = null;

  constructor(private readonly enrolment: EnrolmentRepository) {}

  async isOpen(uow: UnitOfWork, nonce: string): Promise<boolean> {
    if (!NONCE.test(nonce)) return false;
    return (await this.read(uow)) === hashToken(nonce);
  }

  /** This read begins after the call, so it sees an enrolment that was opened before it. */
  private read(uow: UnitOfWork): Promise<string | null> {
    this.next ??= this.running.then(() => {
      this.next = null;
      const reading = uow.commitOne('notion.nonce', (tx) => this.enrolment.openNonceHash(tx));
      this.running = reading.catch(() => undefined);
      return reading;
    });
    return this.next;
  }
}

/** For an operator. */
export const NO_TOKEN = `No verification token of Notion's webhook is known, so its events are refused: run ${COMMAND} notion enrol.`;
