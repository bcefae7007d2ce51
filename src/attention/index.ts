export { AttentionRepository } from './attention.repository';
export { AttentionService } from './attention.service';
export { AttentionAlerts } from './alerts';
export { ATTENTION_KINDS, type AttentionItem } from './attention.entity';
export { AttentionModule } from './attention.module';
export { AttentionClaims, CLAIM_QUIET_MS, type Claim } from './claims';
export { AttentionClosedError, AttentionUnknownError } from './attention.service';

declare module '../common/uow' {
  interface LabelAreas {
    attention: 'attention';
  }
}
