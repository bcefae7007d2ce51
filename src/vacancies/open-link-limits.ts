import { statfs } from 'node:fs/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import type { Counter } from 'prom-client';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { ColloquyError, describeError } from '../common/errors';
import { DomainEvents } from '../common/events';
import { Metrics } from '../common/metrics';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import { type OpenLinkUse, OpenLinkUseRepository } from './open-link-use.repository';

/**
 * Caps of a vacancy's open link, which anybody may open any number of times: new interviews and bytes of
 * uploads, each for ten minutes and for a day. They are soft: what crosses one is still taken, and so is what
 * other connections take at the same moment. Interviews that have begun go on. When the disk of the embedded
 * database is nearly full, no link begins an interview and no interview takes a file.
 */
@Injectable()
export class OpenLinkLimits {
  private readonly logger = new Logger('OpenLinks');
  private readonly refused: Counter<'reason'>;
  private freeBytes: { readonly atMs: number; readonly bytes: number } | null = null;

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly uses: OpenLinkUseRepository,
    private readonly events: DomainEvents,
    private readonly units: UnitOfWorkFactory,
    metrics: Metrics,
  ) {
    this.refused = metrics.counter(
      'open_link_refusals_total',
      'New interviews and uploads that a cap of an open link or a full disk refused',
      ['reason'],
    );
  }

  /** Counts a new interview of the link. Throws OpenLinkFullError; nothing is counted then. */
  async countInterview(tx: Tx, vacancyId: string): Promise<void> {
    const cap = this.capOfInterviews(await this.uses.of(tx, vacancyId));
    const retryAfterS = cap === null ? await this.diskRetryS() : waitOf(cap);
    if (retryAfterS !== null) {
      this.refused.inc({ reason: cap === null ? 'disk' : 'interviews' });
      throw new OpenLinkFullError(
        'too many interviews were begun by this link; please open it again later',
        { fields: { retryAfterS } },
      );
    }
    await this.uses.add(tx, vacancyId, { interviews: 1 });
  }

  /** Null: an upload of this interview may be stored. */
  async uploadRefusal(tx: Tx, interview: Interview): Promise<UploadsFullError | null> {
    const isOpen = interview.invitationId === null;
    const cap = isOpen ? this.capOfUploads(await this.uses.of(tx, interview.vacancyId)) : null;
    const retryAfterS = cap === null ? await this.diskRetryS() : waitOf(cap);
    if (retryAfterS === null) return null;
    this.refused.inc({ reason: cap === null ? 'disk' : 'uploads' });
    return new UploadsFullError(
      'no file and no recording can be stored now; please answer as text, or send it again later',
      { fields: { retryAfterS } },
    );
  }

  /** Counts a stored upload. */
  async countUpload(tx: Tx, interview: Interview, bytes: number): Promise<void> {
    if (interview.invitationId !== null || bytes === 0) return;
    await this.uses.add(tx, interview.vacancyId, { uploadBytes: bytes });
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async runOnSchedule(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.logger.warn(
        `the use of open links was not checked; it is again in a minute: ${describeError(error)}`,
      );
    }
  }

  /** One attention item for each link that has reached a cap, closed once it is under all of them. */
  async sweep(): Promise<void> {
    await this.units.run('open_link.sweep', async (uow) => {
      await uow.commit('open_link.sweep', async (tx) => {
        for (const use of await this.uses.listAll(tx)) await this.report(tx, use);
        await this.uses.deleteOld(tx);
      });
    });
  }

  private async report(
    tx: Tx,
    use: OpenLinkUse & { readonly vacancyId: string; readonly title: string },
  ): Promise<void> {
    const subject = `open-link:${use.vacancyId}`;
    const interviews = this.capOfInterviews(use);
    const uploads = this.capOfUploads(use);
    if (interviews === null && uploads === null) {
      const resolution = 'the link is under its caps again';
      await this.events.publish(tx, 'attention.settled', { subject, resolution });
      return;
    }
    const what = [
      ...(interviews === null ? [] : [`begins no new interview (${interviews.setting})`]),
      ...(uploads === null ? [] : [`takes no files and recordings (${uploads.setting})`]),
    ].join(' and ');
    const reason = `the open link of "${use.title}" ${what}: interviews that have begun go on. Look who opens it; if they are real, raise the setting, or send personal invitations.`;
    await this.events.publish(tx, 'attention.needed', { kind: 'full', subject, reason });
  }

  private capOfInterviews(use: OpenLinkUse): Cap | null {
    const { burstInterviews, dayInterviews } = this.settings.openLinks;
    if (use.dayInterviews >= dayInterviews)
      return { setting: 'OPEN_LINK_INTERVIEWS_PER_DAY', endsInS: use.dayEndsInS };
    if (use.burstInterviews >= burstInterviews)
      return { setting: 'OPEN_LINK_INTERVIEWS_PER_10_MINUTES', endsInS: use.burstEndsInS };
    return null;
  }

  private capOfUploads(use: OpenLinkUse): Cap | null {
    const { burstUploadMb, dayUploadMb } = this.settings.openLinks;
    if (use.dayBytes >= dayUploadMb * MB)
      return { setting: 'OPEN_LINK_UPLOAD_MB_PER_DAY', endsInS: use.dayEndsInS };
    if (use.burstBytes >= burstUploadMb * MB)
      return { setting: 'OPEN_LINK_UPLOAD_MB_PER_10_MINUTES', endsInS: use.burstEndsInS };
    return null;
  }

  /** Null: there is space. The disk of another PostgreSQL is not visible from here. */
  private async diskRetryS(): Promise<number | null> {
    const { database, openLinks } = this.settings;
    if (database.url !== null || openLinks.diskReserveMb === 0) return null;
    const nowMs = this.clock.monotonicMs();
    if (this.freeBytes === null || nowMs - this.freeBytes.atMs > DISK_READ_MS) {
      this.freeBytes = { atMs: nowMs, bytes: await freeBytesOf(database.dataDir) };
    }
    return this.freeBytes.bytes < openLinks.diskReserveMb * MB ? DISK_RETRY_S : null;
  }
}

const MB = 1024 ** 2;
/** How long the free space of the disk is believed. */
const DISK_READ_MS = 5_000;
const DISK_RETRY_S = 60;

/** The link takes no new interview now. Those that have begun go on. */
export class OpenLinkFullError extends ColloquyError {
  readonly code = 'open_link_full';
  readonly retryable = false;
}

/** An interview, as its limits see it. */
interface Interview {
  readonly vacancyId: string;
  /** Null: it was begun by the vacancy's open link. */
  readonly invitationId: string | null;
}

/** Files and recordings are not taken now; text is. */
export class UploadsFullError extends ColloquyError {
  readonly code = 'uploads_full';
  readonly retryable = false;
}

interface Cap {
  readonly setting: string;
  readonly endsInS: number;
}

function waitOf({ endsInS }: Cap): number {
  return Math.max(1, Math.ceil(endsInS));
}

/** Infinity: it cannot be read, so it stops nothing. */
async function freeBytesOf(folder: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
