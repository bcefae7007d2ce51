export { AttentionService } from './attention';
export { AttentionAlerts } from './attention-alerts';
export { ATTENTION_KINDS, type AttentionItem } from './attention.entity';
export { AttentionModule } from './attention.module';
export { AttentionReplays } from './attention-replays';
export { AttentionClosedError, AttentionNotReplayableError, AttentionUnknownError } from './errors';
