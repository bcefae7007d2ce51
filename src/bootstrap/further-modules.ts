import type { DynamicModule, Type } from '@nestjs/common';
import { TelegramOutboxModule } from '../channels/telegram/outbox.channel';
import { WebChannelModule } from '../channels/web/web.channel';
import type { Settings } from '../common/config';
import { NotionReplaysModule } from '../notion-sync/sync/replays';
import { ScoringRecordsModule } from '../scoring/records.module';

/** What a server needs of these modules; a command runs nothing of them and only has their services. */
export type Place = { readonly pageDirectory: string } | 'in a command';

type Modules = (DynamicModule | Type)[];

/**
 * The modules of `AppModule` that depend on the settings, and on whether they run here. Each is loaded only
 * where it is needed, because loading its libraries delays the start.
 */
export async function furtherModules(settings: Settings, place: Place): Promise<Modules> {
  return [
    ...(await channelsOf(settings, place)),
    ...(await notionOf(settings, place)),
    ...(await scoringOf(settings)),
  ];
}

/**
 * The module of each channel, or what stands for it where it does not run: stored messages name the channel,
 * and a command leaves messages for a server. A command needs no token of the bot for that.
 */
async function channelsOf(settings: Settings, place: Place): Promise<Modules> {
  if (place === 'in a command')
    return [WebChannelModule, TelegramOutboxModule.with({ isOn: true })];
  const { WebModule } = await import('../channels/web');
  const web = WebModule.serving(place.pageDirectory);
  if (settings.telegram.token === '') return [web, TelegramOutboxModule.with({ isOn: false })];
  const { TelegramModule } = await import('../channels/telegram');
  return [web, TelegramModule.on(settings)];
}

/**
 * A command replays attention items also without a token, because the server may have one. Commands about
 * Notion add its boards (`createCommandContext`), whose libraries the others would load for nothing.
 */
async function notionOf({ notion }: Settings, place: Place): Promise<Modules> {
  if (place === 'in a command') return [NotionReplaysModule];
  if (notion.token === '') return [];
  const { NotionSyncModule } = await import('../notion-sync');
  return [NotionSyncModule];
}

/** Rows of a time when SCORING was on belong to a person's export and erasure, so they are always reached. */
async function scoringOf({ scoring }: Settings): Promise<Modules> {
  if (!scoring.isOn) return [ScoringRecordsModule];
  const { ScoringModule } = await import('../scoring');
  return [ScoringRecordsModule, ScoringModule];
}
