import { Module } from '@nestjs/common';
import { AccountsModule } from '../candidates';
import { AttentionModule } from '../attention';
import { DeliveryModule } from '../delivery';
import { ReviewsModule } from '../notion-sync/reviews';
import { PersistenceModule } from '../persistence';
import { Segments } from '../streams';
import { InterviewStart } from './interview-start';
import { SpokenLines } from './spoken-lines';
import { Takeovers } from './takeovers';
import { TurnTable } from './turn/turn-table';

const EXPORTS = [InterviewStart, SpokenLines, Takeovers, TurnTable];

/** Also for commands and the console, which run no interview. Expects what DeliveryModule does. */
@Module({
  imports: [AccountsModule, AttentionModule, DeliveryModule, PersistenceModule, ReviewsModule],
  // Not the module of the streams: it listens, and a command does not.
  providers: [...EXPORTS, Segments],
  exports: EXPORTS,
})
export class TakeoversModule {}
