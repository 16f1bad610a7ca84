#include "lithe/view/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lithe/view/page_template.h"
#include "lithe/view/report_json.h"

namespace lithe {
namespace {

TEST(ReportJson, HasNoCharacterThatCouldEndItsScriptElement) {
  Report report;
  report.title = "</script><script>alert(1)</script>&amp;<!--";
  report.files = {"<b>.csv"};
  report.tables.push_back({"<i>", {{"<u>", "<m>"}}, {{std::string("<td>")}}});
  const std::string json = report_json(report);
  EXPECT_EQ(json.find_first_of("<>&"), std::string::npos);
  EXPECT_NE(json.find("\\u003c/script\\u003e"), std::string::npos);
}

TEST(ReportJson, WritesNumbersThatJsonHasNotAsNull) {
  Report report;
  report.tables.push_back({"t", {{"a", ""}}, {{NAN}, {INFINITY}, {1.5}}});
  EXPECT_NE(report_json(report).find("[[null],[null],[1.5]]"), std::string::npos);
}

TEST(ReportJson, SurvivesNamesThatAreNoText) {
  Report report;
  report.title = "caf\xE9 \xFF";
  EXPECT_NE(report_json(report).find("caf\xEF\xBF\xBD"), std::string::npos);
}

TEST(ReportPage, PutsTheDataInPlaceOfTheMarker) {
  ASSERT_NE(page_template().find(data_marker), std::string_view::npos);
  Report report;
  report.title = "one pendulum";
  const std::string page = report_page(report);
  EXPECT_EQ(page.find(data_marker), std::string::npos);
  EXPECT_NE(page.find("\"title\":\"one pendulum\""), std::string::npos);
  EXPECT_EQ(page.size(), page_template().size() - data_marker.size() + report_json(report).size());
}

TEST(ReportPage, MayAskNobodyForAnything) {
  EXPECT_NE(page_template().find("default-src 'none'"), std::string_view::npos);
  for (const char* address : {"src=\"http", "href=\"http", "@import url"})
    EXPECT_EQ(page_template().find(address), std::string_view::npos) << address;
}

TEST(DisplayColumn, KeepsTheLeastAndTheMostOfEveryInterval) {
  std::vector<double> times, values;
  for (int i = 0; i < 5000; ++i) {
    times.push_back(i);
    values.push_back(std::sin(0.7 * i));
  }
  values[1234] = 50;
  values[4321] = -50;
  const DisplayColumn shown = display_column(times, values, 200);
  EXPECT_EQ(shown.times.size(), 200U);
  EXPECT_EQ(shown.values.size(), 200U);
  EXPECT_EQ(*std::max_element(shown.values.begin(), shown.values.end()), 50);
  EXPECT_EQ(*std::min_element(shown.values.begin(), shown.values.end()), -50);
  EXPECT_TRUE(std::is_sorted(shown.times.begin(), shown.times.end()));
}

TEST(DisplayColumn, LeavesShortColumnsAlone) {
  const DisplayColumn shown = display_column({0, 1, 2}, {5, 6, 7}, 3);
  EXPECT_EQ(shown.values, (std::vector<double>{5, 6, 7}));
}

}  // namespace
}  // namespace lithe
