export { type Coverage, ReviewSource, type ReviewSubject } from './review-source';
export { ReviewRequests } from './review-requests';
export { ReviewRequestsModule } from './review-requests';
