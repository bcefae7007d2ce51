import { Injectable } from '@nestjs/common';
import { Settings } from '../../common/config';
import { type NoticeTiming, DomainEventHandler, type PayloadOf } from '../../common/events';
import type { Tx } from '../../common/uow';
import { dayWaitMs, isDayHour, STEP_MS, zoneOf } from './schedule';
import { SilenceRepository } from './silence.repository';
import { ZoneRepository } from './zone.repository';

/**
 * Says when a stored reminder may still be sent: an outage of the channel may have held it up into the
 * night, or past what was said meanwhile. Other messages of the chat pass a reminder that waits.
 */
@Injectable()
export class HeldReminders {
  constructor(
    private readonly silences: SilenceRepository,
    private readonly zones: ZoneRepository,
    private readonly settings: Settings,
  ) {}

  @DomainEventHandler('delivery.notice')
  async whenDue(tx: Tx, { messageId }: PayloadOf<'delivery.notice'>): Promise<NoticeTiming> {
    const reminder = await this.silences.findReminder(tx, messageId);
    if (reminder === null) return { kind: 'now' };
    if (reminder.isOutdated) return { kind: 'never' };
    const { now, timeZone, planTimeZone } = reminder;
    const zone = zoneOf([timeZone, planTimeZone], this.settings.interview.timeZone);
    const waitMs = dayWaitMs(zone, now);
    if (waitMs > 0) return { kind: 'later', waitMs };
    const hour = await this.zones.hourIn(tx, zone, now);
    return isDayHour(hour) ? { kind: 'now' } : { kind: 'later', waitMs: STEP_MS };
  }
}
