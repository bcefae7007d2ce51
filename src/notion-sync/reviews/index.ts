export { type Coverage, ReviewSource, type ReviewSubject } from './review-source';
export { ReviewRequests } from './reviews';
export { ReviewRequestsModule } from './reviews.module';
