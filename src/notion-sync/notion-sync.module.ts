import { Module } from '@nestjs/common';
import { NotionIntakeModule } from './intake/notion-intake.module';
import { NotionReviewsModule } from './reviews/notion-reviews.module';
import { NotionRunModule } from './sync/notion-run.module';
import { BoardWorkerModule } from './sync/board-worker.module';
import { NotionSweepModule } from './sync/notion-sweep.module';

/** Notion's boards kept ranked; imported only where a token is set. */
@Module({
  imports: [
    NotionIntakeModule,
    BoardWorkerModule,
    NotionReviewsModule,
    NotionRunModule,
    NotionSweepModule,
  ],
})
export class NotionSyncModule {}
