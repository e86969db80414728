package telemetry

import (
	"context"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	model "github.com/prometheus/client_model/go"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	"google.golang.org/protobuf/proto"

	"stele/internal/pause"
)

// runMetrics sends metrics until ctx ends.
func (s *OTLP) runMetrics(ctx context.Context) {
	for pause.For(ctx, s.Every) == nil {
		s.sendMetrics(ctx)
	}
}

// sendMetrics sends the figures that Prometheus would get, under the same names.
func (s *OTLP) sendMetrics(ctx context.Context) {
	families, err := s.Metrics.registry.Gather()
	if err != nil {
		s.Log.LogAttrs(ctx, slog.LevelDebug, "some metrics cannot be gathered", slog.Any("error", err))
	}
	span := moments{nanos(s.began), nanos(time.Now())}
	list := make([]*metricspb.Metric, 0, len(families))
	for _, f := range families {
		if m := span.metric(f); m != nil {
			list = append(list, m)
		}
	}
	body, err := proto.Marshal(&metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource: s.resourceOf(), ScopeMetrics: []*metricspb.ScopeMetrics{{Metrics: list}},
	}}})
	if err != nil {
		s.tell(ctx, metrics, err)
		return
	}
	s.send(ctx, metrics, body)
}

// moments are when counting began, and now.
type moments struct{ began, now uint64 }

// metric is a family of Prometheus as OpenTelemetry writes it.
func (at moments) metric(f *model.MetricFamily) *metricspb.Metric {
	m := &metricspb.Metric{Name: f.GetName(), Description: f.GetHelp()}
	switch f.GetType() {
	case model.MetricType_COUNTER:
		m.Data = &metricspb.Metric_Sum{Sum: &metricspb.Sum{
			DataPoints: at.numbers(f, func(m *model.Metric) float64 { return m.GetCounter().GetValue() }), IsMonotonic: true,
			AggregationTemporality: metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
		}}
	case model.MetricType_GAUGE:
		m.Data = &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{
			DataPoints: at.numbers(f, func(m *model.Metric) float64 { return m.GetGauge().GetValue() }),
		}}
	case model.MetricType_HISTOGRAM:
		m.Data = &metricspb.Metric_Histogram{Histogram: &metricspb.Histogram{
			DataPoints: at.histograms(f), AggregationTemporality: metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
		}}
	case model.MetricType_SUMMARY:
		m.Data = &metricspb.Metric_Summary{Summary: &metricspb.Summary{DataPoints: at.summaries(f)}}
	default:
		return nil // we have no others
	}
	return m
}

func (at moments) numbers(f *model.MetricFamily, value func(*model.Metric) float64) []*metricspb.NumberDataPoint {
	points := make([]*metricspb.NumberDataPoint, 0, len(f.GetMetric()))
	for _, m := range f.GetMetric() {
		points = append(points, &metricspb.NumberDataPoint{
			Attributes: labelsOf(m), StartTimeUnixNano: at.began, TimeUnixNano: at.now, Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: value(m)},
		})
	}
	return points
}

// histograms are those of Prometheus with what is in each bucket alone: there a bucket
// has all below it as well.
func (at moments) histograms(f *model.MetricFamily) []*metricspb.HistogramDataPoint {
	points := make([]*metricspb.HistogramDataPoint, 0, len(f.GetMetric()))
	for _, m := range f.GetMetric() {
		h := m.GetHistogram()
		sum := h.GetSampleSum()
		p := &metricspb.HistogramDataPoint{
			Attributes: labelsOf(m), StartTimeUnixNano: at.began, TimeUnixNano: at.now, Count: h.GetSampleCount(), Sum: &sum,
		}
		below := uint64(0)
		for _, b := range h.GetBucket() {
			if math.IsInf(b.GetUpperBound(), 1) {
				continue // all that is left
			}
			p.ExplicitBounds = append(p.ExplicitBounds, b.GetUpperBound())
			p.BucketCounts = append(p.BucketCounts, b.GetCumulativeCount()-below)
			below = b.GetCumulativeCount()
		}
		p.BucketCounts = append(p.BucketCounts, h.GetSampleCount()-below)
		points = append(points, p)
	}
	return points
}

func (at moments) summaries(f *model.MetricFamily) []*metricspb.SummaryDataPoint {
	points := make([]*metricspb.SummaryDataPoint, 0, len(f.GetMetric()))
	for _, m := range f.GetMetric() {
		p := &metricspb.SummaryDataPoint{
			Attributes: labelsOf(m), StartTimeUnixNano: at.began, TimeUnixNano: at.now, Count: m.GetSummary().GetSampleCount(), Sum: m.GetSummary().GetSampleSum(),
		}
		for _, q := range m.GetSummary().GetQuantile() {
			p.QuantileValues = append(p.QuantileValues, &metricspb.SummaryDataPoint_ValueAtQuantile{Quantile: q.GetQuantile(), Value: q.GetValue()})
		}
		points = append(points, p)
	}
	return points
}

func labelsOf(m *model.Metric) []*commonpb.KeyValue {
	labels := make(map[string]string, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	return attributesOf(labels)
}

func attributesOf(labels map[string]string) []*commonpb.KeyValue {
	list := make([]*commonpb.KeyValue, 0, len(labels))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		list = append(list, &commonpb.KeyValue{Key: name, Value: &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: labels[name]}}})
	}
	return list
}

func nanos(t time.Time) uint64 { return uint64(max(0, t.UnixNano())) } //nolint:gosec // not below 0
